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
    constructor({ functions, firestore, auth, clientId, retryPolicy, prefix }: {
        functions: Functions;
        firestore?: Firestore | undefined;
        auth?: Auth | undefined;
        clientId?: string | undefined;
        retryPolicy?: RetryPolicy | undefined;
        prefix?: string | undefined;
    });
    /** The user's threads: `watch`, `list`, `messages`, `rename`, `archive` ... */
    threads: Threads;
    /** Approvals: `watch`, `follow`, `decide`. */
    approvals: Approvals;
    /**
     * Send a message to an agent. The run starts at once. Read it with `for await`, or await its
     * `result`.
     *
     * With a `runId` of your own it is safe to repeat the request after a reload: it is one run.
     * @param {AgentRequest} request
     * @returns {Run}
     */
    run({ clientTools, decide, signal, runId, ...request }: AgentRequest): Run;
    /**
     * Watch a run that was started elsewhere or before a reload, and continue its turn where it waits
     * for this client's tools. Needs Firestore.
     * @param {{ agent: string, threadId: string, runId: string } & RunOptions} run
     * @returns {Run}
     */
    follow({ clientTools, decide, signal, ...run }: {
        agent: string;
        threadId: string;
        runId: string;
    } & RunOptions): Run;
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
     * Rate an answer.
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
     * List what the user may use: a page of the capabilities, and the agents. `next` is the `after` of
     * the next page.
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
     * @throws {RollcallError} There is no such file, or its content is damaged.
     */
    file(fileId: string): Promise<File>;
    /**
     * Call a capability directly. With the file that `python -m rollcall types` writes, its id,
     * arguments and result are typed.
     * @template {CapabilityId} Id
     * @param {Id} capability
     * @param {ArgumentsOf<Id>} [args]
     * @param {Omit<CapabilityCall, "arguments">} [options] With a `callKey` a write happens once.
     * @returns {Promise<ResultOf<Id>>}
     */
    call<Id extends CapabilityId>(capability: Id, args?: ArgumentsOf<Id>, options?: Omit<CapabilityCall, "arguments">): Promise<ResultOf<Id>>;
    #private;
}
/**
 * A request of `run_agent`, with either `message` or `retry`, and the options of its turn.
 */
export type AgentRequest = Omit<RunRequest, "clientTools" | "clientId" | "resume" | "toolResults"> & RunOptions;
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
    /**
     * The user's language's words for arguments and their listed
     * values, by their names in the schema; one without a word is left out.
     */
    labels: Record<string, string>;
};
import { Threads } from "./threads.js";
import { Approvals } from "./approvals.js";
import { Run } from "./run.js";
import type { RunOptions } from "./run.js";
import type { Sending } from "./attachments.js";
import type { ListRequest } from "../types/wire.js";
import type { CapabilityId } from "../types/capabilities.js";
import type { ArgumentsOf } from "../types/capabilities.js";
import type { CapabilityCall } from "../types/wire.js";
import type { ResultOf } from "../types/capabilities.js";
import type { Functions } from "firebase/functions";
import type { Firestore } from "firebase/firestore";
import type { Auth } from "firebase/auth";
import type { RetryPolicy } from "./run_stream.js";
import type { RunRequest } from "../types/wire.js";
