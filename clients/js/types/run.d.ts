/** @implements {AsyncIterable<AgentEvent>} */
export class Run implements AsyncIterable<AgentEvent> {
    /**
     * @param {RunServices} services
     * @param {RunRequest & { runId: string }} request
     * @param {RunOptions} options
     * @param {Origin} [origin]
     */
    constructor(services: RunServices, request: RunRequest & {
        runId: string;
    }, options: RunOptions, origin?: Origin);
    /** The thread; undefined until the server has told it. @type {string | undefined} */
    threadId: string | undefined;
    /** The run of the turn that goes on now. @type {string} */
    runId: string;
    /** The result where the turn ends or waits. @type {Promise<RunResult>} */
    result: Promise<RunResult>;
    /** The answer so far. */
    get text(): string;
    /** The messages of the model and its tools, in order. */
    get messages(): import("./transcript.js").TextMessage[];
    /** The tool calls so far, in order. */
    get calls(): import("./transcript.js").ShownCall[];
    /** The interrupts that wait for a decision; none while a run is streaming. */
    get interrupts(): Interrupt[];
    /**
     * Listen to events, text or arguments as they stream.
     * @template {keyof Listeners} Name
     * @param {Name} name
     * @param {Listeners[Name]} listener
     * @returns {() => void} Stops it.
     */
    on<Name extends keyof Listeners>(name: Name, listener: Listeners[Name]): () => void;
    /**
     * Stop the run. It ends with the outcome "cancelled" and the text so far. If this client's tools or
     * decisions are running, they are stopped, and the run fails with the code "cancelled".
     * @returns {Promise<string>} "cancelling", "cancelled", or the status with which it had ended
     *   before.
     */
    cancel(): Promise<string>;
    /** Stop watching. The run goes on without this client; its client tools wait. */
    leave(): void;
    /**
     * Approve an interrupt.
     * @param {Interrupt} interrupt
     * @param {Remarks} [remarks]
     * @returns {Run | undefined} The continuation; undefined while other interrupts are undecided.
     */
    approve(interrupt: Interrupt, remarks?: Remarks): Run | undefined;
    /**
     * Reject an interrupt.
     * @param {Interrupt} interrupt
     * @param {string} [reason] Told to the model.
     * @returns {Run | undefined}
     */
    reject(interrupt: Interrupt, reason?: string): Run | undefined;
    /**
     * Decide all interrupts at once.
     * @param {Record<string, Decision>} decisions By the ids of the interrupts.
     * @returns {Run} The continuation.
     * @throws {RollcallError} It was answered before.
     */
    resume(decisions: Record<string, Decision>): Run;
    /**
     * Send the results of pending calls that have no handlers.
     * @param {ClientToolResult[]} toolResults One for each pending call.
     * @returns {Run} The continuation.
     * @throws {RollcallError} It was answered before.
     */
    answer(toolResults: ClientToolResult[]): Run;
    /** Ask again; the new answer replaces this one. */
    retry(): Run;
    /**
     * Replace the message. This turn stays in the log, but models no longer see it.
     * @param {string | (TextPart | MediaPart)[]} message
     */
    edit(message: string | (TextPart | MediaPart)[]): Run;
    /**
     * Rate the answer; null removes the rating.
     * @param {"up" | "down" | null} rating
     * @param {string} [comment]
     */
    rate(rating: "up" | "down" | null, comment?: string): Promise<void>;
    /** The first reader gets every event of the turn, later ones those that follow. */
    [Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void, void>;
    #private;
}
export type Remarks = Omit<Decision, "approved">;
/**
 * Options of a turn, which its follow-up turns keep.
 */
export type RunOptions = {
    /**
     * Tools of the agent that run here, by their names.
     */
    clientTools?: Record<string, import("./client_tools.js").ClientTool> | undefined;
    /**
     * Asked about each interrupt. Without it a turn ends where one waits.
     */
    decide?: Decide | undefined;
    /**
     * Stops the run, here and on the server.
     */
    signal?: AbortSignal | undefined;
    /**
     * What the user has before them, as it is asked.
     */
    context?: RunRequest["context"];
};
/**
 * The origin of a run. One that `isWatched` was started elsewhere. One that `isNamed` has an id from
 * the app and may have been started before. Both may have continued since.
 */
export type Origin = {
    isWatched?: boolean;
    isNamed?: boolean;
};
/**
 * The services that a run gets from its `Rollcall`.
 */
export type RunServices = {
    access: RunAccess;
    clientId: string;
    locks: Locks;
    call: (name: string, data: object) => Promise<any>;
};
import type { AgentEvent } from "./events.js";
import type { RunResult } from "../types/wire.js";
import type { Interrupt } from "../types/wire.js";
import type { Listeners } from "./listeners.js";
import type { Decision } from "../types/wire.js";
import type { ClientToolResult } from "../types/wire.js";
import type { TextPart } from "../types/wire.js";
import type { MediaPart } from "../types/wire.js";
import type { RunRequest } from "../types/wire.js";
import type { Decide } from "./decisions.js";
import type { RunAccess } from "./run_stream.js";
import type { Locks } from "./locks.js";
