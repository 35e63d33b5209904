/** Calls of functions through Firebase's SDK, which sends the user's token. */

import { httpsCallable } from "firebase/functions";

import { RollcallError, toRollcallError } from "./errors.js";

/** @import { Functions } from "firebase/functions" */
/** @import { AgentEvent } from "./events.js" */
/** @import { RunRequest, RunResult } from "../types/wire.js" */

/**
 * Call a function without streaming.
 * @param {Functions} functions
 * @param {string} name
 * @param {object} data
 * @returns {Promise<any>}
 * @throws {RollcallError}
 */
export async function call(functions, name, data) {
  try {
    return (await httpsCallable(functions, name)(data)).data;
  } catch (error) {
    throw toRollcallError(error);
  }
}

/**
 * Call `run_agent`: yield the run's events and return its result. Errors are those of the SDK, so that
 * the caller can tell their origin.
 * @param {Functions} functions
 * @param {string} name What `run_agent` is called in this deployment.
 * @param {RunRequest} data
 * @param {AbortSignal} signal Ends the connection, not the run.
 * @returns {AsyncGenerator<AgentEvent, RunResult, void>}
 */
export async function* stream(functions, name, data, signal) {
  const called = httpsCallable(functions, name).stream(data, { signal });
  const { stream: chunks, data: result } = await called;
  /** @type {{ value: RunResult } | undefined} */
  let end;
  result.then(
    (value) => (end = { value: /** @type {RunResult} */ (value) }),
    () => undefined, // the chunks end with the same error
  );
  for await (const event of chunks) yield /** @type {AgentEvent} */ (event);
  await Promise.resolve();
  // After a stream without a result, the SDK's promise never settles.
  if (!end) throw new RollcallError("unavailable", "the connection ended before the run did");
  return end.value;
}
