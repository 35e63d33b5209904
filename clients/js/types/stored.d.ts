/** @import { Auth } from "firebase/auth" */
/** @import { Firestore } from "firebase/firestore" */
/** @import { AgentEvent } from "./events.js" */
/** @import { RunResult } from "../types/wire.js" */
/**
 * What a thread waits for: the calls and questions of a run. The client's part of it may be over
 * before the rest is. `takenBy` says where the calls are being run.
 * @typedef {{ runId: string, isAnswered?: boolean, isLate?: boolean,
 *   takenBy?: { runId: string, place: string } }} Waiting
 */
/**
 * What a run's document says of its end; `continuedBy` is the run that went on where it waited.
 * @typedef {{ status: "running" | "done" | "failed" | "cancelled", result?: RunResult,
 *   error?: { code?: string, message?: string, hint?: string }, continuedBy?: string }} RunState
 */
export class StoredRuns {
    /**
     * @param {Firestore} db
     * @param {Auth} auth
     * @param {Names} [names]
     */
    constructor(db: Firestore, auth: Auth, names?: Names);
    /**
     * The events of a run from its first on, as they are stored, until the signal ends it.
     * @param {string} threadId
     * @param {string} runId
     * @param {AbortSignal} signal
     * @returns {AsyncGenerator<AgentEvent, void, void>}
     * @throws {RollcallError}
     */
    follow(threadId: string, runId: string, signal: AbortSignal): AsyncGenerator<AgentEvent, void, void>;
    /**
     * The events that are stored now.
     * @param {string} threadId
     * @param {string} runId
     * @returns {Promise<AgentEvent[]>}
     */
    events(threadId: string, runId: string): Promise<AgentEvent[]>;
    /**
     * @param {string} threadId
     * @param {string} runId
     * @returns {Promise<RunState>}
     * @throws {RollcallError}
     */
    state(threadId: string, runId: string): Promise<RunState>;
    /**
     * What a thread waits for; undefined where that is nothing. In an app that watches the thread
     * itself, it is what that was told last, which may be of a moment ago.
     * @param {string} threadId
     * @returns {Promise<Waiting | undefined>}
     * @throws {RollcallError}
     */
    waiting(threadId: string): Promise<Waiting | undefined>;
    /**
     * Take the calls that a run left, before they are run: the rules let one place do so.
     * @param {string} threadId
     * @param {string} runId
     * @param {string} place
     * @returns {Promise<boolean>} False where another place has taken them, or nothing waits any more.
     * @throws {RollcallError}
     */
    take(threadId: string, runId: string, place: string): Promise<boolean>;
    #private;
}
/**
 * What a thread waits for: the calls and questions of a run. The client's part of it may be over
 * before the rest is. `takenBy` says where the calls are being run.
 */
export type Waiting = {
    runId: string;
    isAnswered?: boolean;
    isLate?: boolean;
    takenBy?: {
        runId: string;
        place: string;
    };
};
/**
 * What a run's document says of its end; `continuedBy` is the run that went on where it waited.
 */
export type RunState = {
    status: "running" | "done" | "failed" | "cancelled";
    result?: RunResult;
    error?: {
        code?: string;
        message?: string;
        hint?: string;
    };
    continuedBy?: string;
};
import type { AgentEvent } from "./events.js";
import type { Firestore } from "firebase/firestore";
import type { Auth } from "firebase/auth";
import { Names } from "./names.js";
import type { RunResult } from "../types/wire.js";
