/** The client: one object for all that an app does with its Rollcall functions. */

import { Approvals } from "./approvals.js";
import { attach, download } from "./attachments.js";
import { RollcallError } from "./errors.js";
import { UserFirestore } from "./firestore.js";
import { call, stream } from "./functions.js";
import { newId } from "./ids.js";
import { Locks } from "./locks.js";
import { Names } from "./names.js";
import { Run } from "./run.js";
import { RunStore } from "./run_store.js";
import { Threads } from "./threads.js";

/** @import { Auth } from "firebase/auth" */
/** @import { ArgumentsOf, CapabilityId, ResultOf } from "../types/capabilities.js" */
/** @import { Firestore } from "firebase/firestore" */
/** @import { Functions } from "firebase/functions" */
/** @import { Sending } from "./attachments.js" */
/** @import { RetryPolicy } from "./run_stream.js" */
/** @import { RunOptions } from "./run.js" */
/** @import { CapabilityCall, ListRequest, RunRequest } from "../types/wire.js" */

/**
 * A request of `run_agent`, with either `message` or `retry`, and the options of its turn.
 * @typedef {Omit<RunRequest, "clientTools" | "clientId" | "resume" | "toolResults"> & RunOptions} AgentRequest
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
 * @property {Record<string, string>} labels The user's language's words for arguments and their listed
 *   values, by their names in the schema; one without a word is left out.
 */

export class Rollcall {
  #services;
  #functions;
  /** The user's threads: `watch`, `list`, `messages`, `rename`, `archive` ... */
  threads;
  /** Approvals: `watch`, `follow`, `decide`. */
  approvals;

  /**
   * With `firestore` and `auth`, threads can be read, and a lost stream is continued from the stored
   * events. Without them it is continued by sending the request again.
   * @param {object} firebase
   * @param {Functions} firebase.functions
   * @param {Firestore} [firebase.firestore]
   * @param {Auth} [firebase.auth]
   * @param {string} [firebase.clientId] Identifies this client among the user's: a run leaves
   *   calls of client tools to the client that offered them. A new id each time by default.
   * @param {RetryPolicy} [firebase.retryPolicy]
   * @param {string} [firebase.prefix] The deployment's `ROLLCALL_PREFIX`, such as "rc", which
   *   precedes the names of Rollcall's own functions and collections.
   * @throws {RollcallError} The prefix is invalid.
   */
  constructor({ functions, firestore, auth, clientId = newId(), retryPolicy, prefix }) {
    const names = new Names(prefix);
    const own = new UserFirestore(firestore, auth, names);
    this.#functions = functions;
    this.#services = {
      clientId,
      locks: new Locks(),
      call: (/** @type {string} */ name, /** @type {object} */ data) =>
        call(functions, names.function(name), data),
      access: {
        stream: (/** @type {RunRequest} */ data, /** @type {AbortSignal} */ signal) =>
          stream(functions, names.function("run_agent"), data, signal),
        stored: firestore && auth && new RunStore(own),
        retryPolicy,
      },
    };
    this.threads = new Threads(own, this.#services.call);
    this.approvals = new Approvals(own);
  }

  /**
   * Send a message to an agent. The run starts at once. Read it with `for await`, or await its
   * `result`.
   *
   * With a `runId` of your own it is safe to repeat the request after a reload: it is one run.
   * @param {AgentRequest} request
   * @returns {Run}
   */
  run({ clientTools, decide, signal, runId, ...request }) {
    const offered = Object.keys(clientTools ?? {});
    const { clientId } = this.#services;
    const tools = offered.length ? { clientTools: offered, clientId } : { clientId };
    const data = { ...request, ...tools, runId: runId ?? newId() };
    const options = { clientTools, decide, signal, context: request.context };
    return new Run(this.#services, data, options, { isNamed: runId !== undefined });
  }

  /**
   * Watch a run that was started elsewhere or before a reload, and continue its turn where it waits
   * for this client's tools. Needs Firestore.
   * @param {{ agent: string, threadId: string, runId: string } & RunOptions} run
   * @returns {Run}
   */
  follow({ clientTools, decide, signal, ...run }) {
    if (!this.#services.access.stored) {
      const hint = "new Rollcall({ functions, firestore, auth })";
      throw new RollcallError("failed-precondition", "runs are followed in Firestore", { hint });
    }
    const offered = Object.keys(clientTools ?? {});
    const request = { ...run, clientId: this.#services.clientId, clientTools: offered };
    return new Run(this.#services, request, { clientTools, decide, signal }, { isWatched: true });
  }

  /**
   * Stop a run by its ids.
   * @param {{ threadId: string, runId: string }} run
   * @returns {Promise<{ status: string }>}
   */
  async cancel({ threadId, runId }) {
    return this.#services.call("cancel_run", { threadId, runId });
  }

  /**
   * Rate an answer.
   * @param {{ threadId: string, runId: string, rating: "up" | "down" | null, comment?: string }} rated
   */
  async rate(rated) {
    return this.#services.call("rate_message", rated);
  }

  /**
   * Upload an image or a document for a message:
   * `run({ message: [{ type: "text", text }, await rollcall.attach(file)] })`.
   * @param {Blob | Uint8Array} file
   * @param {Sending} [options]
   */
  async attach(file, options) {
    return attach(this.#services.call, file, options);
  }

  /**
   * List what the user may use: a page of the capabilities, and the agents. `next` is the `after` of
   * the next page.
   * @param {ListRequest} [options]
   * @returns {Promise<{ capabilities: Capability[], agents: { id: string, name: string }[], next?: string }>}
   */
  async capabilities(options = {}) {
    return this.#services.call("list_capabilities", options);
  }

  /**
   * Read one of the user's files, such as one that a tool made.
   * @param {string} fileId
   * @returns {Promise<File>}
   * @throws {RollcallError} There is no such file, or its content is damaged.
   */
  async file(fileId) {
    return download(this.#services.call, fileId);
  }

  /**
   * Call a capability directly. With the file that `python -m rollcall types` writes, its id,
   * arguments and result are typed.
   * @template {CapabilityId} Id
   * @param {Id} capability
   * @param {ArgumentsOf<Id>} [args]
   * @param {Omit<CapabilityCall, "arguments">} [options] With a `callKey` a write happens once.
   * @returns {Promise<ResultOf<Id>>}
   */
  async call(capability, args, options = {}) {
    return call(this.#functions, capability, { arguments: args ?? {}, ...options });
  }
}
