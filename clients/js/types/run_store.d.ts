/** @import { UserFirestore } from "./firestore.js" */
/** @import { AgentEvent } from "./events.js" */
/** @import { RunResult } from "../types/wire.js" */
/**
 * What a thread waits for: the calls and decisions of a run. `isAnswered` and `isLate` are about the
 * calls alone. `takenBy` says which client runs them.
 * @typedef {{ runId: string, isAnswered?: boolean, isLate?: boolean,
 *   takenBy?: { runId: string, place: string } }} Waiting
 */
/**
 * The state of a run. `continuedBy` is the run that continued the turn.
 * @typedef {{ status: "running" | "done" | "failed" | "cancelled", result?: RunResult,
 *   error?: { code?: string, message?: string, hint?: string }, continuedBy?: string }} RunState
 */
export class RunStore {
    /** @param {UserFirestore} firestore */
    constructor(firestore: UserFirestore);
    /**
     * The events of a run from the first, as they are stored, until the signal is aborted.
     * @param {string} threadId
     * @param {string} runId
     * @param {AbortSignal} signal
     * @returns {AsyncGenerator<AgentEvent, void, void>}
     * @throws {RollcallError}
     */
    follow(threadId: string, runId: string, signal: AbortSignal): AsyncGenerator<AgentEvent, void, void>;
    /**
     * The events stored so far.
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
     * What a thread waits for, if anything. In an app that watches the thread, Firestore answers with
     * the last snapshot, which may be slightly old.
     * @param {string} threadId
     * @returns {Promise<Waiting | undefined>}
     * @throws {RollcallError}
     */
    waiting(threadId: string): Promise<Waiting | undefined>;
    /**
     * Claim the pending calls of a run before running them. The rules let one client do so.
     * @param {string} threadId
     * @param {string} runId
     * @param {string} place
     * @returns {Promise<boolean>} False if another client has claimed them, or nothing waits any more.
     * @throws {RollcallError}
     */
    take(threadId: string, runId: string, place: string): Promise<boolean>;
    #private;
}
/**
 * What a thread waits for: the calls and decisions of a run. `isAnswered` and `isLate` are about the
 * calls alone. `takenBy` says which client runs them.
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
 * The state of a run. `continuedBy` is the run that continued the turn.
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
import type { UserFirestore } from "./firestore.js";
import type { RunResult } from "../types/wire.js";
