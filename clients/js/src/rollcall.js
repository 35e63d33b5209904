/** The entrance: one object for all that an app asks of its Rollcall functions. */

import { Approvals } from "./approvals.js";
import { attach, download } from "./attachments.js";
import { RollcallError } from "./errors.js";
import { call, stream } from "./functions.js";
import { newId } from "./ids.js";
import { Locks } from "./locks.js";
import { Names } from "./names.js";
import { Run } from "./run.js";
import { StoredRuns } from "./stored.js";
import { Threads } from "./threads.js";

/** @import { Auth } from "firebase/auth" */
/** @import { ArgumentsOf, CapabilityId, ResultOf } from "../types/capabilities.js" */
/** @import { Firestore } from "firebase/firestore" */
/** @import { Functions } from "firebase/functions" */
/** @import { Sending } from "./attachments.js" */
/** @import { Patience } from "./course.js" */
/** @import { Habits } from "./run.js" */
/** @import { ListRequest, RunRequest } from "../types/wire.js" */

/**
 * What is asked, as `run_agent` takes it, and how it goes on. One of `message` and `retry`.
 * @typedef {Omit<RunRequest, "clientTools" | "clientId" | "resume" | "toolResults"> & Habits} Asked
 */

/**
 * @typedef {object} Capability
 * @property {string} id
 * @property {string} name In the user's language.
 * @property {string} description
 * @property {string} category
 * @property {"read" | "write"} effect
 * @property {"server" | "client"} runsOn
 * @property {string} status
 * @property {string} health
 * @property {Record<string, any>} jsonSchema What it takes.
 */

export class Rollcall {
  #home;
  #functions;
  /** The user's threads: `watch`, `list`, `messages`, `rename`, `archive` ... */
  threads;
  /** What waits for a decision: `watch`, `follow`, `decide`. */
  approvals;

  /**
   * With `firestore` and `auth`, a stream that is lost is continued from what is stored, and
   * threads can be read; without, it is continued by asking again.
   * @param {object} firebase
   * @param {Functions} firebase.functions
   * @param {Firestore} [firebase.firestore]
   * @param {Auth} [firebase.auth]
   * @param {string} [firebase.clientId] Tells this client from the user's others; the tools that a
   *   run leaves to it are its own. A new one each time, unless you keep one.
   * @param {Patience} [firebase.patience]
   * @param {string} [firebase.prefix] The deployment's `ROLLCALL_PREFIX`, such as "rc", which stands
   *   before the names of Rollcall's own functions and collections.
   * @throws {RollcallError} The prefix cannot be one.
   */
  constructor({ functions, firestore, auth, clientId = newId(), patience, prefix }) {
    const names = new Names(prefix);
    this.#functions = functions;
    this.#home = {
      clientId,
      locks: new Locks(),
      call: (/** @type {string} */ name, /** @type {object} */ data) =>
        call(functions, names.function(name), data),
      ways: {
        stream: (/** @type {RunRequest} */ data, /** @type {AbortSignal} */ signal) =>
          stream(functions, names.function("run_agent"), data, signal),
        stored: firestore && auth && new StoredRuns(firestore, auth, names),
        patience,
      },
    };
    this.threads = new Threads(firestore, auth, this.#home.call, names);
    this.approvals = new Approvals(firestore, auth, names);
  }

  /**
   * Ask an agent. The run begins at once; read it by `for await`, or await its `result`.
   *
   * A `runId` of your own makes it safe to ask again after a reload: it is one run.
   * @param {Asked} asked
   * @returns {Run}
   */
  run({ clientTools, decide, signal, runId, ...asked }) {
    const offered = Object.keys(clientTools ?? {});
    const { clientId } = this.#home;
    const tools = offered.length ? { clientTools: offered, clientId } : { clientId };
    const request = { ...asked, ...tools, runId: runId ?? newId() };
    const habits = { clientTools, decide, signal, context: asked.context };
    return new Run(this.#home, request, habits, { isNamed: runId !== undefined });
  }

  /**
   * Watch a run that was begun elsewhere or before a reload, and go on with its turn where it waits
   * for this client's tools. Needs Firestore.
   * @param {{ agent: string, threadId: string, runId: string } & Habits} run
   * @returns {Run}
   */
  follow({ clientTools, decide, signal, ...run }) {
    if (!this.#home.ways.stored) {
      const hint = "new Rollcall({ functions, firestore, auth })";
      throw new RollcallError("failed-precondition", "runs are followed in Firestore", { hint });
    }
    const offered = Object.keys(clientTools ?? {});
    const request = { ...run, clientId: this.#home.clientId, clientTools: offered };
    return new Run(this.#home, request, { clientTools, decide, signal }, { isWatched: true });
  }

  /**
   * Stop a run by its ids.
   * @param {{ threadId: string, runId: string }} run
   * @returns {Promise<{ status: string }>}
   */
  async cancel({ threadId, runId }) {
    return this.#home.call("cancel_run", { threadId, runId });
  }

  /**
   * Say what an answer was worth.
   * @param {{ threadId: string, runId: string, rating: "up" | "down" | null, comment?: string }} rated
   */
  async rate(rated) {
    return this.#home.call("rate_message", rated);
  }

  /**
   * Upload an image or a document for a message:
   * `run({ message: [{ type: "text", text }, await rollcall.attach(file)] })`.
   * @param {Blob | Uint8Array} file
   * @param {Sending} [options]
   */
  async attach(file, options) {
    return attach(this.#home.call, file, options);
  }

  /**
   * What the user may use: a page of the capabilities, and the agents. `next` is the `after` of the
   * page that follows.
   * @param {ListRequest} [options]
   * @returns {Promise<{ capabilities: Capability[], agents: { id: string, name: string }[], next?: string }>}
   */
  async capabilities(options = {}) {
    return this.#home.call("list_capabilities", options);
  }

  /**
   * Read one of the user's files, such as one that a tool made.
   * @param {string} fileId
   * @returns {Promise<File>}
   * @throws {RollcallError} There is none, or it is not what was stored.
   */
  async file(fileId) {
    return download(this.#home.call, fileId);
  }

  /**
   * Call a capability by itself. With the file that `python -m rollcall types` writes, its id,
   * arguments and result are typed.
   * @template {CapabilityId} Id
   * @param {Id} capability
   * @param {ArgumentsOf<Id>} [args]
   * @param {{ context?: object, callKey?: string, locale?: "en" | "he" }} [options] With a `callKey`
   *   a write happens once.
   * @returns {Promise<ResultOf<Id>>}
   */
  async call(capability, args, options = {}) {
    return call(this.#functions, capability, { arguments: args ?? {}, ...options });
  }
}
