/**
 * Repeat an idempotent operation until no connection is lost on the way.
 * @template T
 * @param {() => Promise<T>} work
 * @param {RetryPolicy} retryPolicy
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export function retry<T>(work: () => Promise<T>, { pause: first, most }: RetryPolicy, signal: AbortSignal): Promise<T>;
/**
 * Wait about `ms` before the next attempt, and until the device is online.
 * @param {number} ms Capped at 8 s.
 * @param {AbortSignal} signal
 */
export function backOff(ms: number, signal: AbortSignal): Promise<void>;
/**
 * Wait for `ms`, or until the abort.
 * @param {number} ms
 * @param {AbortSignal} signal
 */
export function sleep(ms: number, signal: AbortSignal): Promise<any>;
/**
 * Await a promise, or throw as soon as the signal is aborted.
 * @template T
 * @param {T | Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export function unlessAborted<T>(promise: T | Promise<T>, signal: AbortSignal): Promise<T>;
/**
 * Call the listener whenever the device is online again, where the platform reports that.
 * @param {() => void} listener
 * @returns {() => void} Stops it.
 */
export function whenOnline(listener: () => void): () => void;
import type { RetryPolicy } from "./run_stream.js";
