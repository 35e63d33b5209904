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
export function call(functions: Functions, name: string, data: object): Promise<any>;
/**
 * Call `run_agent`: yield the run's events and return its result. Errors are those of the SDK, so that
 * the caller can tell their origin.
 * @param {Functions} functions
 * @param {string} name What `run_agent` is called in this deployment.
 * @param {RunRequest} data
 * @param {AbortSignal} signal Ends the connection, not the run.
 * @returns {AsyncGenerator<AgentEvent, RunResult, void>}
 */
export function stream(functions: Functions, name: string, data: RunRequest, signal: AbortSignal): AsyncGenerator<AgentEvent, RunResult, void>;
import type { Functions } from "firebase/functions";
import type { RunRequest } from "../types/wire.js";
import type { AgentEvent } from "./events.js";
import type { RunResult } from "../types/wire.js";
