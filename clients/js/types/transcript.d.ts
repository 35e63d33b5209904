/** @import { AgentEvent } from "./events.js" */
/** @import { Path } from "./partial_json.js" */
/** @import { RunResult, ToolCallRecord } from "../types/wire.js" */
/**
 * @typedef {{ id: string, text: string, isWhole: boolean }} Said
 */
/**
 * A tool call. `arguments` grow while they are written; only a call that `isWhole` has them all.
 * `record` is what the run's result says of it, once that is there.
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
 * What was added to a call's arguments: pieces of strings, each with its place.
 * @typedef {{ call: ShownCall, added: { path: Path, text: string }[] }} ArgumentsNews
 */
export class Transcript {
    /** What the model and the tools said, in order. */
    get messages(): Said[];
    /** The tool calls, in order. */
    get calls(): ShownCall[];
    /** The newest message's text. */
    get text(): string;
    /**
     * Take the next event in.
     * @param {AgentEvent} event
     * @returns {ArgumentsNews | undefined} What it added to a call's arguments.
     */
    take(event: AgentEvent): ArgumentsNews | undefined;
    #private;
}
export type Said = {
    id: string;
    text: string;
    isWhole: boolean;
};
/**
 * A tool call. `arguments` grow while they are written; only a call that `isWhole` has them all.
 * `record` is what the run's result says of it, once that is there.
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
 * What was added to a call's arguments: pieces of strings, each with its place.
 */
export type ArgumentsNews = {
    call: ShownCall;
    added: {
        path: Path;
        text: string;
    }[];
};
import type { AgentEvent } from "./events.js";
import type { ToolCallRecord } from "../types/wire.js";
import type { Path } from "./partial_json.js";
