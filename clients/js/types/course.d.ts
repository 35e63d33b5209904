/** @import { AgentEvent } from "./events.js" */
/** @import { StoredRuns } from "./stored.js" */
/** @import { RunRequest, RunResult } from "../types/wire.js" */
/**
 * How patient a client is, in ms.
 * @typedef {object} Patience
 * @property {number} quiet Without an event for so long, it is looked whether there is news elsewhere.
 * @property {number} most Without getting any further for so long, it gives up.
 * @property {number} [pause] Before it asks again; each time twice as long, up to 8 s.
 */
/** @type {Patience} */
export const PATIENCE: Patience;
/**
 * @typedef {object} Ways
 * @property {(data: RunRequest, signal: AbortSignal) => AsyncGenerator<AgentEvent, RunResult, void>} stream
 * @property {Pick<StoredRuns, "follow" | "events" | "state" | "take" | "waiting">} [stored]
 * @property {Patience} [patience]
 */
export class Course {
    /**
     * @param {Ways} ways
     * @param {RunRequest | { threadId: string, runId: string }} request The data of `run_agent`, with
     *   a run id; the ids alone for a run that is only watched.
     * @param {AbortSignal} signal Ends the watching.
     */
    constructor(ways: Ways, request: RunRequest | {
        threadId: string;
        runId: string;
    }, signal: AbortSignal);
    /**
     * The run's events, and its result in the end.
     * @returns {AsyncGenerator<AgentEvent, RunResult, void>}
     * @throws {RollcallError} The run failed, was refused, or cannot be reached.
     */
    events(): AsyncGenerator<AgentEvent, RunResult, void>;
    /** Whether it was over before it was asked for here. */
    get isRetold(): boolean;
    #private;
}
/**
 * How patient a client is, in ms.
 */
export type Patience = {
    /**
     * Without an event for so long, it is looked whether there is news elsewhere.
     */
    quiet: number;
    /**
     * Without getting any further for so long, it gives up.
     */
    most: number;
    /**
     * Before it asks again; each time twice as long, up to 8 s.
     */
    pause?: number | undefined;
};
export type Ways = {
    stream: (data: RunRequest, signal: AbortSignal) => AsyncGenerator<AgentEvent, RunResult, void>;
    stored?: Pick<StoredRuns, "waiting" | "events" | "follow" | "state" | "take"> | undefined;
    patience?: Patience | undefined;
};
import type { AgentEvent } from "./events.js";
import type { RunResult } from "../types/wire.js";
import type { RunRequest } from "../types/wire.js";
import type { StoredRuns } from "./stored.js";
