/** @implements {AsyncIterable<AgentEvent>} */
export class Run implements AsyncIterable<AgentEvent> {
    /**
     * @param {Home} home
     * @param {RunRequest & { runId: string }} request
     * @param {Habits} habits
     * @param {Origin} [origin]
     */
    constructor(home: Home, request: RunRequest & {
        runId: string;
    }, habits: Habits, origin?: Origin);
    /** The thread; undefined until the server has told it. @type {string | undefined} */
    threadId: string | undefined;
    /** The run of the turn that goes on now. @type {string} */
    runId: string;
    /** What the turn has come to: its end, or where it waits. @type {Promise<RunResult>} */
    result: Promise<RunResult>;
    /** The answer so far; in the end the whole. */
    get text(): string;
    /** What the model and its tools said, in order. */
    get messages(): import("./transcript.js").Said[];
    /** The tool calls so far, in order. */
    get calls(): import("./transcript.js").ShownCall[];
    /** What waits for a decision; nothing while the turn goes on. */
    get interrupts(): Interrupt[];
    /**
     * Be told as it happens.
     * @template {keyof Listeners} Name
     * @param {Name} name
     * @param {Listeners[Name]} listener
     * @returns {() => void} Stops it.
     */
    on<Name extends keyof Listeners>(name: Name, listener: Listeners[Name]): () => void;
    /**
     * Stop the run. It ends by itself, with the outcome "cancelled" and what was said so far; one
     * that is at this client's tools or decisions stops these, and fails with the code "cancelled".
     * @returns {Promise<string>} What the server answers: "cancelling", "cancelled", or how it had
     *   ended before.
     */
    cancel(): Promise<string>;
    /** Watch no longer: the run goes on without this client, and its client tools wait. */
    leave(): void;
    /**
     * Say yes to an interrupt.
     * @param {Interrupt} interrupt
     * @param {Remarks} [remarks]
     * @returns {Run | undefined} The turn as it goes on; undefined while others are undecided.
     */
    approve(interrupt: Interrupt, remarks?: Remarks): Run | undefined;
    /**
     * Say no to an interrupt.
     * @param {Interrupt} interrupt
     * @param {string} [reason] Told to the model.
     * @returns {Run | undefined}
     */
    reject(interrupt: Interrupt, reason?: string): Run | undefined;
    /**
     * Answer everything that waits at once.
     * @param {Record<string, Decision>} decisions By the ids of the interrupts.
     * @returns {Run} The turn as it goes on.
     * @throws {RollcallError} It was answered before.
     */
    resume(decisions: Record<string, Decision>): Run;
    /**
     * Answer calls that were left to this client, where no handlers did.
     * @param {ClientToolResult[]} toolResults One for each pending call.
     * @returns {Run} The turn as it goes on.
     * @throws {RollcallError} It was answered before.
     */
    answer(toolResults: ClientToolResult[]): Run;
    /** Ask the same once more; the new answer takes this one's place. */
    retry(): Run;
    /**
     * Ask something else instead; this turn stays in the log, and is told to no model any more.
     * @param {string | (TextPart | MediaPart)[]} message
     */
    edit(message: string | (TextPart | MediaPart)[]): Run;
    /**
     * Say what the answer was worth; null takes that back.
     * @param {"up" | "down" | null} rating
     * @param {string} [comment]
     */
    rate(rating: "up" | "down" | null, comment?: string): Promise<void>;
    /** The first reader is given every event of the turn, a later one those that follow. */
    [Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void, void>;
    #private;
}
export type Remarks = Omit<Decision, "approved">;
/**
 * What goes through a whole turn, and on to those that follow it.
 */
export type Habits = {
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
 * Where a run comes from: one that `isWatched` was begun elsewhere, one that `isNamed` has an id of
 * the app's own and may have been begun before. Either may have gone on since.
 */
export type Origin = {
    isWatched?: boolean;
    isNamed?: boolean;
};
/**
 * What a run needs of its Rollcall.
 */
export type Home = {
    ways: Ways;
    clientId: string;
    locks: Locks;
    call: (name: string, data: object) => Promise<any>;
};
import type { AgentEvent } from "./events.js";
import type { RunResult } from "../types/wire.js";
import type { Interrupt } from "../types/wire.js";
import type { Listeners } from "./listening.js";
import type { Decision } from "../types/wire.js";
import type { ClientToolResult } from "../types/wire.js";
import type { TextPart } from "../types/wire.js";
import type { MediaPart } from "../types/wire.js";
import type { RunRequest } from "../types/wire.js";
import type { Decide } from "./decisions.js";
import type { Ways } from "./course.js";
import type { Locks } from "./locks.js";
