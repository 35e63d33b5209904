/** @import { AgentEvent } from "./events.js" */
/** @import { Path } from "./partial_json.js" */
/** @import { RunResult, ToolCallRecord } from "../types/wire.js" */
/**
 * @typedef {{ id: string, text: string, isWhole: boolean }} TextMessage
 */
/**
 * A tool call. `arguments` grow while they stream; they are complete once it `isWhole`. `record` is
 * the call's record from the run's result, once there is one.
 * @typedef {object} ShownCall
 * @property {string} id
 * @property {string} tool
 * @property {string | undefined} messageId
 * @property {any} arguments
 * @property {boolean} isWhole
 * @property {string} [result] What it answered, as text.
 * @property {{ text: string, done?: number, total?: number }} [progress]
 * @property {ToolCallRecord} [record]
 */
/**
 * An addition to a call's arguments: parts of strings, each with its path.
 * @typedef {{ call: ShownCall, added: { path: Path, text: string }[] }} ArgumentsDelta
 */
export class Transcript {
    /** The messages of the model and the tools, in order. */
    get messages(): TextMessage[];
    /** The tool calls, in order. */
    get calls(): ShownCall[];
    /** The newest message's text. */
    get text(): string;
    /**
     * Apply the next event.
     * @param {AgentEvent} event
     * @returns {ArgumentsDelta | undefined} What it added to a call's arguments.
     */
    take(event: AgentEvent): ArgumentsDelta | undefined;
    #private;
}
export type TextMessage = {
    id: string;
    text: string;
    isWhole: boolean;
};
/**
 * A tool call. `arguments` grow while they stream; they are complete once it `isWhole`. `record` is
 * the call's record from the run's result, once there is one.
 */
export type ShownCall = {
    id: string;
    tool: string;
    messageId: string | undefined;
    arguments: any;
    isWhole: boolean;
    /**
     * What it answered, as text.
     */
    result?: string | undefined;
    progress?: {
        text: string;
        done?: number;
        total?: number;
    } | undefined;
    record?: ToolCallRecord | undefined;
};
/**
 * An addition to a call's arguments: parts of strings, each with its path.
 */
export type ArgumentsDelta = {
    call: ShownCall;
    added: {
        path: Path;
        text: string;
    }[];
};
import type { AgentEvent } from "./events.js";
import type { ToolCallRecord } from "../types/wire.js";
import type { Path } from "./partial_json.js";
