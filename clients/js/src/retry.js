/** Retries with back-off, waiting for the network, and waiting that an abort ends. */

import { isLost } from "./errors.js";

/** @import { RetryPolicy } from "./run_stream.js" */

const MAX_MS = 8_000;

/**
 * Repeat an idempotent operation until no connection is lost on the way.
 * @template T
 * @param {() => Promise<T>} work
 * @param {RetryPolicy} retryPolicy
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export async function retry(work, { pause: first = 250, most }, signal) {
  const since = Date.now();
  for (let lost = 0; ; lost += 1) {
    try {
      return await unlessAborted(work(), signal);
    } catch (error) {
      if (signal.aborted || !isLost(error) || Date.now() - since > most) throw error;
      await backOff(first * 2 ** lost, signal);
    }
  }
}

/**
 * Wait about `ms` before the next attempt, and until the device is online.
 * @param {number} ms Capped at 8 s.
 * @param {AbortSignal} signal
 */
export async function backOff(ms, signal) {
  await sleep(Math.min(MAX_MS, ms) * (0.75 + Math.random() / 2), signal);
  if (globalThis.navigator?.onLine === false) await online(signal);
  signal.throwIfAborted();
}

/**
 * Wait for `ms`, or until the abort.
 * @param {number} ms
 * @param {AbortSignal} signal
 */
export function sleep(ms, signal) {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      resolve(undefined);
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener("abort", wake);
    if (signal.aborted) wake();
  });
}

/**
 * Await a promise, or throw as soon as the signal is aborted.
 * @template T
 * @param {T | Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export async function unlessAborted(promise, signal) {
  /** @type {() => void} */
  let stop = () => undefined;
  const aborted = new Promise((resolve) =>
    signal.addEventListener("abort", (stop = () => resolve(undefined))),
  );
  if (signal.aborted) stop();
  try {
    const found = await Promise.race([promise, aborted]);
    signal.throwIfAborted();
    return /** @type {T} */ (found);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** @param {AbortSignal} signal */
function online(signal) {
  return new Promise((resolve) => {
    const stop = whenOnline(done);
    function done() {
      stop();
      signal.removeEventListener("abort", done);
      resolve(undefined);
    }
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

/**
 * Call the listener whenever the device is online again, where the platform reports that.
 * @param {() => void} listener
 * @returns {() => void} Stops it.
 */
export function whenOnline(listener) {
  globalThis.addEventListener?.("online", listener);
  return () => globalThis.removeEventListener?.("online", listener);
}
