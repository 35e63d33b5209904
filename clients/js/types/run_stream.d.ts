/** @import { AgentEvent } from "./events.js" */
/** @import { RunStore } from "./run_store.js" */
/** @import { RunRequest, RunResult } from "../types/wire.js" */
/**
 * How long a client waits before it retries and gives up, in ms.
 * @typedef {object} RetryPolicy
 * @property {number} quiet After this time without an event it looks for stored ones.
 * @property {number} most After this time without progress it gives up.
 * @property {number} [pause] The first delay before a retry. It doubles each time, up to 8 s.
 */
/** @type {RetryPolicy} */
export const RETRY_POLICY: RetryPolicy;
/**
 * @typedef {object} RunAccess
 * @property {(data: RunRequest, signal: AbortSignal) => AsyncGenerator<AgentEvent, RunResult, void>} stream
 * @property {Pick<RunStore, "follow" | "events" | "state" | "take" | "waiting">} [stored]
 * @property {RetryPolicy} [retryPolicy]
 */
export class RunStream {
    /**
     * @param {RunAccess} access
     * @param {RunRequest | { threadId: string, runId: string }} request The data of `run_agent`, with
     *   a run id, or only the ids, to watch a run.
     * @param {AbortSignal} signal Ends the stream.
     */
    constructor(access: RunAccess, request: RunRequest | {
        threadId: string;
        runId: string;
    }, signal: AbortSignal);
    /**
     * Yield the run's events and return its result.
     * @returns {AsyncGenerator<AgentEvent, RunResult, void>}
     * @throws {RollcallError} The run failed, was refused, or cannot be reached.
     */
    events(): AsyncGenerator<AgentEvent, RunResult, void>;
    /** Whether the run had ended before this request. */
    get isRetold(): boolean;
    #private;
}
/**
 * How long a client waits before it retries and gives up, in ms.
 */
export type RetryPolicy = {
    /**
     * After this time without an event it looks for stored ones.
     */
    quiet: number;
    /**
     * After this time without progress it gives up.
     */
    most: number;
    /**
     * The first delay before a retry. It doubles each time, up to 8 s.
     */
    pause?: number | undefined;
};
export type RunAccess = {
    stream: (data: RunRequest, signal: AbortSignal) => AsyncGenerator<AgentEvent, RunResult, void>;
    stored?: Pick<RunStore, "waiting" | "events" | "follow" | "state" | "take"> | undefined;
    retryPolicy?: RetryPolicy | undefined;
};
import type { AgentEvent } from "./events.js";
import type { RunResult } from "../types/wire.js";
import type { RunRequest } from "../types/wire.js";
import type { RunStore } from "./run_store.js";
