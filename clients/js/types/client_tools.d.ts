/**
 * The context of a handler's call. `signal` is aborted when the run is stopped; `progress` shows the
 * user how far it is.
 * @typedef {object} CallContext
 * @property {string} id
 * @property {string} tool
 * @property {AbortSignal} signal
 * @property {(text: string, done?: number, total?: number) => void} progress
 */
/**
 * Runs one tool. It returns JSON. The message of an error it throws goes to the model.
 * @typedef {(args: any, context: CallContext) => unknown} Handle
 */
/**
 * A tool of this client. Tools that only read (`reads`) may run in parallel.
 * @typedef {Handle | { run: Handle, reads?: boolean }} ClientTool
 */
/** @typedef {Record<string, ClientTool>} ClientTools */
/** @typedef {{ toolCallId: string, text: string, done?: number, total?: number }} Progress */
/**
 * The calls that a result leaves to the client, validated by the server.
 * @param {RunResult} result
 * @returns {ToolCallRecord[]}
 */
export function pendingCalls(result: RunResult): ToolCallRecord[];
/**
 * Whether all calls only read, so that another client may run them too.
 * @param {ToolCallRecord[]} calls
 * @param {ClientTools} tools
 */
export function allRead(calls: ToolCallRecord[], tools: ClientTools): boolean;
/**
 * Run the calls in order, neighbours that only read in parallel.
 * @param {ToolCallRecord[]} calls
 * @param {ClientTools} tools
 * @param {{ signal: AbortSignal, onProgress: (progress: Progress) => void }} options
 * @returns {Promise<ClientToolResult[]>} A result for each call.
 */
export function runCalls(calls: ToolCallRecord[], tools: ClientTools, { signal, onProgress }: {
    signal: AbortSignal;
    onProgress: (progress: Progress) => void;
}): Promise<ClientToolResult[]>;
/** @import { ClientToolResult, RunResult, ToolCallRecord } from "../types/wire.js" */
/** The longest result of one call, in characters of JSON. */
export const RESULT_CHARS: 200000;
/** The largest size of all results of one step together, in bytes of JSON. */
export const RESULTS_BYTES: 600000;
/**
 * The context of a handler's call. `signal` is aborted when the run is stopped; `progress` shows the
 * user how far it is.
 */
export type CallContext = {
    id: string;
    tool: string;
    signal: AbortSignal;
    progress: (text: string, done?: number, total?: number) => void;
};
/**
 * Runs one tool. It returns JSON. The message of an error it throws goes to the model.
 */
export type Handle = (args: any, context: CallContext) => unknown;
/**
 * A tool of this client. Tools that only read (`reads`) may run in parallel.
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
