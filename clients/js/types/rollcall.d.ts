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
    constructor({ functions, firestore, auth, clientId, patience, prefix }: {
        functions: Functions;
        firestore?: Firestore | undefined;
        auth?: Auth | undefined;
        clientId?: string | undefined;
        patience?: Patience | undefined;
        prefix?: string | undefined;
    });
    /** The user's threads: `watch`, `list`, `messages`, `rename`, `archive` ... */
    threads: Threads;
    /** What waits for a decision: `watch`, `follow`, `decide`. */
    approvals: Approvals;
    /**
     * Ask an agent. The run begins at once; read it by `for await`, or await its `result`.
     *
     * A `runId` of your own makes it safe to ask again after a reload: it is one run.
     * @param {Asked} asked
     * @returns {Run}
     */
    run({ clientTools, decide, signal, runId, ...asked }: Asked): Run;
    /**
     * Watch a run that was begun elsewhere or before a reload, and go on with its turn where it waits
     * for this client's tools. Needs Firestore.
     * @param {{ agent: string, threadId: string, runId: string } & Habits} run
     * @returns {Run}
     */
    follow({ clientTools, decide, signal, ...run }: {
        agent: string;
        threadId: string;
        runId: string;
    } & Habits): Run;
    /**
     * Stop a run by its ids.
     * @param {{ threadId: string, runId: string }} run
     * @returns {Promise<{ status: string }>}
     */
    cancel({ threadId, runId }: {
        threadId: string;
        runId: string;
    }): Promise<{
        status: string;
    }>;
    /**
     * Say what an answer was worth.
     * @param {{ threadId: string, runId: string, rating: "up" | "down" | null, comment?: string }} rated
     */
    rate(rated: {
        threadId: string;
        runId: string;
        rating: "up" | "down" | null;
        comment?: string;
    }): Promise<any>;
    /**
     * Upload an image or a document for a message:
     * `run({ message: [{ type: "text", text }, await rollcall.attach(file)] })`.
     * @param {Blob | Uint8Array} file
     * @param {Sending} [options]
     */
    attach(file: Blob | Uint8Array, options?: Sending): Promise<import("../types/wire.js").MediaPart>;
    /**
     * What the user may use: a page of the capabilities, and the agents. `next` is the `after` of the
     * page that follows.
     * @param {ListRequest} [options]
     * @returns {Promise<{ capabilities: Capability[], agents: { id: string, name: string }[], next?: string }>}
     */
    capabilities(options?: ListRequest): Promise<{
        capabilities: Capability[];
        agents: {
            id: string;
            name: string;
        }[];
        next?: string;
    }>;
    /**
     * Read one of the user's files, such as one that a tool made.
     * @param {string} fileId
     * @returns {Promise<File>}
     * @throws {RollcallError} There is none, or it is not what was stored.
     */
    file(fileId: string): Promise<File>;
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
    call<Id extends CapabilityId>(capability: Id, args?: ArgumentsOf<Id>, options?: {
        context?: object;
        callKey?: string;
        locale?: "en" | "he";
    }): Promise<ResultOf<Id>>;
    #private;
}
/**
 * What is asked, as `run_agent` takes it, and how it goes on. One of `message` and `retry`.
 */
export type Asked = Omit<RunRequest, "clientTools" | "clientId" | "resume" | "toolResults"> & Habits;
export type Capability = {
    id: string;
    /**
     * In the user's language.
     */
    name: string;
    description: string;
    category: string;
    effect: "read" | "write";
    runsOn: "server" | "client";
    status: string;
    health: string;
    /**
     * What it takes.
     */
    jsonSchema: Record<string, any>;
};
import { Threads } from "./threads.js";
import { Approvals } from "./approvals.js";
import { Run } from "./run.js";
import type { Habits } from "./run.js";
import type { Sending } from "./attachments.js";
import type { ListRequest } from "../types/wire.js";
import type { CapabilityId } from "../types/capabilities.js";
import type { ArgumentsOf } from "../types/capabilities.js";
import type { ResultOf } from "../types/capabilities.js";
import type { Functions } from "firebase/functions";
import type { Firestore } from "firebase/firestore";
import type { Auth } from "firebase/auth";
import type { Patience } from "./course.js";
import type { RunRequest } from "../types/wire.js";
