/**
 * Do what can be done again, until it is not lost on the way.
 * @template T
 * @param {() => Promise<T>} work
 * @param {Patience} patience
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export function insist<T>(work: () => Promise<T>, { pause: first, most }: Patience, signal: AbortSignal): Promise<T>;
/**
 * Wait about so long before the next try, and until the device is online.
 * @param {number} ms At most 8 seconds are waited.
 * @param {AbortSignal} signal
 */
export function pause(ms: number, signal: AbortSignal): Promise<void>;
/**
 * Sleep; an abort ends it early.
 * @param {number} ms
 * @param {AbortSignal} signal
 */
export function sleep(ms: number, signal: AbortSignal): Promise<any>;
/**
 * What the promise comes to; an abort is not kept waiting by one that does not listen to it.
 * @template T
 * @param {T | Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export function unlessAborted<T>(promise: T | Promise<T>, signal: AbortSignal): Promise<T>;
/**
 * Be told whenever the device is online again, where somebody tells that.
 * @param {() => void} listener
 * @returns {() => void} Stops it.
 */
export function whenOnline(listener: () => void): () => void;
import type { Patience } from "./course.js";
