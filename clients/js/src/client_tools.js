/** Runs a run's pending calls with the app's tools, and limits the size of their results. */

import { RollcallError } from "./errors.js";
import { unlessAborted } from "./retry.js";

/** @import { ClientToolResult, RunResult, ToolCallRecord } from "../types/wire.js" */

/** The longest result of one call, in characters of JSON. */
export const RESULT_CHARS = 200_000;
/** The largest size of all results of one step together, in bytes of JSON. */
export const RESULTS_BYTES = 600_000;
const ERROR_CHARS = 4_000;
const DEPTH = 20;

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
export function pendingCalls(result) {
  const ids = new Set(result.outcome.pendingToolCallIds ?? []);
  return result.toolCalls.filter(({ id, status }) => ids.has(id) && status === "client");
}

/**
 * Whether all calls only read, so that another client may run them too.
 * @param {ToolCallRecord[]} calls
 * @param {ClientTools} tools
 */
export function allRead(calls, tools) {
  return calls.every(({ tool }) => !own(tools, tool) || onlyReads(own(tools, tool)));
}

/**
 * Run the calls in order, neighbours that only read in parallel.
 * @param {ToolCallRecord[]} calls
 * @param {ClientTools} tools
 * @param {{ signal: AbortSignal, onProgress: (progress: Progress) => void }} options
 * @returns {Promise<ClientToolResult[]>} A result for each call.
 */
export async function runCalls(calls, tools, { signal, onProgress }) {
  /** @type {ClientToolResult[]} */
  const results = [];
  for (const group of groups(calls, tools)) {
    const running = group.map((call) => runOne(call, tools, signal, onProgress));
    results.push(...(await unlessAborted(Promise.all(running), signal)));
  }
  return limitSize(results);
}

/**
 * Group the calls: neighbours that only read together, each other call alone.
 * @param {ToolCallRecord[]} calls
 * @param {ClientTools} tools
 */
function groups(calls, tools) {
  /** @type {ToolCallRecord[][]} */
  const found = [];
  let mayJoin = false;
  for (const call of calls) {
    const reads = onlyReads(own(tools, call.tool));
    if (reads && mayJoin) found.at(-1)?.push(call);
    else found.push([call]);
    mayJoin = reads;
  }
  return found;
}

/** @param {ClientTool | undefined} tool */
function onlyReads(tool) {
  return typeof tool === "object" && !!tool.reads;
}

/**
 * @param {ClientTools} tools
 * @param {string} name
 */
function own(tools, name) {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}

/**
 * @param {ToolCallRecord} call
 * @param {ClientTools} tools
 * @param {AbortSignal} signal
 * @param {(progress: Progress) => void} onProgress
 * @returns {Promise<ClientToolResult>}
 */
async function runOne(call, tools, signal, onProgress) {
  const { id, tool } = call;
  const known = own(tools, tool);
  if (!known) return errorResult(id, `this app has no tool ${tool}`);
  signal.throwIfAborted();
  const handle = typeof known === "function" ? known : known.run;
  const progress = (
    /** @type {string} */ text,
    /** @type {number=} */ done,
    /** @type {number=} */ total,
  ) =>
    onProgress({
      toolCallId: id,
      text,
      ...(done !== undefined && { done }),
      ...(total !== undefined && { total }),
    });
  try {
    const content = await handle(structuredClone(call.arguments), { id, tool, signal, progress });
    return resultOf(id, tool, content);
  } catch (error) {
    return errorResult(id, messageOf(error));
  }
}

/**
 * The message of what a handler threw, which may be any value.
 * @param {any} error
 */
function messageOf(error) {
  const words = [error?.message, error?.name, error].find((each) => each && typeof each === "string");
  return words ?? "the tool failed, and did not say why";
}

/**
 * @param {string} id
 * @param {string} error
 * @returns {ClientToolResult}
 */
function errorResult(id, error) {
  return { toolCallId: id, error: clean(error.slice(0, ERROR_CHARS)) };
}

/**
 * @param {string} id
 * @param {string} tool
 * @param {unknown} content
 * @returns {ClientToolResult}
 * @throws {RollcallError} It cannot be sent.
 */
function resultOf(id, tool, content) {
  const text = JSON.stringify(content ?? null);
  if (text === undefined) throw wrong(`what ${tool} returned is no JSON`);
  if (text.length > RESULT_CHARS) {
    const [has, most] = [text.length, RESULT_CHARS].map((n) => n.toLocaleString("en"));
    throw wrong(`the result of ${tool} has ${has} characters of JSON; at most ${most} can be sent`);
  }
  return { toolCallId: id, content: cleanJson(JSON.parse(text), tool) };
}

/**
 * JSON that can be stored: NULs and lone surrogates are replaced.
 * @param {any} value
 * @param {string} tool
 * @param {number} [depth]
 * @returns {any}
 */
function cleanJson(value, tool, depth = 0) {
  if (depth > DEPTH) throw wrong(`what ${tool} returned is nested deeper than ${DEPTH} levels`);
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((each) => cleanJson(each, tool, depth + 1));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, each]) => [clean(key), cleanJson(each, tool, depth + 1)]),
  );
}

/** @param {string} text */
function clean(text) {
  return text.replaceAll("\0", "\ufffd").replace(/\p{Surrogate}/gu, "\ufffd");
}

/** @param {string} message */
function wrong(message) {
  return new RollcallError("invalid-argument", message);
}

/**
 * Replace the results that exceed the size limit of a step by an error.
 * @param {ClientToolResult[]} results
 */
function limitSize(results) {
  let bytes = 2;
  return results.map((result) => {
    const size = sizeOf(result);
    if (bytes + size <= RESULTS_BYTES) {
      bytes += size;
      return result;
    }
    const most = RESULTS_BYTES.toLocaleString("en");
    const told = errorResult(
      result.toolCallId,
      `the results of one step have at most ${most} bytes; ask for less`,
    );
    bytes += sizeOf(told);
    return told;
  });
}

/** @param {ClientToolResult} result */
function sizeOf(result) {
  return new TextEncoder().encode(JSON.stringify(result)).length + 1;
}
