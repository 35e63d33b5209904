/**
 * What a handler is given beside the arguments. `signal` is aborted when the run is stopped;
 * `progress` tells the user how far it is.
 * @typedef {object} CallContext
 * @property {string} id
 * @property {string} tool
 * @property {AbortSignal} signal
 * @property {(text: string, done?: number, total?: number) => void} progress
 */
/**
 * Runs one tool. What it returns is JSON; what it throws is told to the model by its message.
 * @typedef {(args: any, context: CallContext) => unknown} Handle
 */
/**
 * A tool of this client. One that only reads (`reads`) may run beside others that do.
 * @typedef {Handle | { run: Handle, reads?: boolean }} ClientTool
 */
/** @typedef {Record<string, ClientTool>} ClientTools */
/** @typedef {{ toolCallId: string, text: string, done?: number, total?: number }} Progress */
/**
 * The calls that a result leaves to the client: complete, as the server checked them.
 * @param {RunResult} result
 * @returns {ToolCallRecord[]}
 */
export function pendingCalls(result: RunResult): ToolCallRecord[];
/**
 * Whether it does no harm if somebody else runs the same calls, too.
 * @param {ToolCallRecord[]} calls
 * @param {ClientTools} tools
 */
export function allRead(calls: ToolCallRecord[], tools: ClientTools): boolean;
/**
 * Run the calls in their order, those side by side that only read.
 * @param {ToolCallRecord[]} calls
 * @param {ClientTools} tools
 * @param {{ signal: AbortSignal, onProgress: (progress: Progress) => void }} options
 * @returns {Promise<ClientToolResult[]>} A result for each call.
 */
export function answer(calls: ToolCallRecord[], tools: ClientTools, { signal, onProgress }: {
    signal: AbortSignal;
    onProgress: (progress: Progress) => void;
}): Promise<ClientToolResult[]>;
/** @import { ClientToolResult, RunResult, ToolCallRecord } from "../types/wire.js" */
/** The longest result of one call, in characters of JSON. */
export const RESULT_CHARS: 200000;
/** What the results of one step may have together, in bytes of JSON. */
export const RESULTS_BYTES: 600000;
/**
 * What a handler is given beside the arguments. `signal` is aborted when the run is stopped;
 * `progress` tells the user how far it is.
 */
export type CallContext = {
    id: string;
    tool: string;
    signal: AbortSignal;
    progress: (text: string, done?: number, total?: number) => void;
};
/**
 * Runs one tool. What it returns is JSON; what it throws is told to the model by its message.
 */
export type Handle = (args: any, context: CallContext) => unknown;
/**
 * A tool of this client. One that only reads (`reads`) may run beside others that do.
 */
export type ClientTool = Handle | {
    run: Handle;
    reads?: boolean;
};
export type ClientTools = Record<string, ClientTool>;
export type Progress = {
    toolCallId: string;
    text: string;
    done?: number;
    total?: number;
};
import type { RunResult } from "../types/wire.js";
import type { ToolCallRecord } from "../types/wire.js";
import type { ClientToolResult } from "../types/wire.js";
