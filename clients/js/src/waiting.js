/** Waiting between two tries, and for the network. */

const LONGEST_MS = 8_000;

/**
 * Wait about so long before the next try, and until the device is online.
 * @param {number} ms At most 8 seconds are waited.
 * @param {AbortSignal} signal
 */
export async function pause(ms, signal) {
  await sleep(Math.min(LONGEST_MS, ms) * (0.75 + Math.random() / 2), signal);
  if (globalThis.navigator?.onLine === false) await online(signal);
  signal.throwIfAborted();
}

/**
 * Sleep; an abort ends it early.
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
 * Be told whenever the device is online again, where somebody tells that.
 * @param {() => void} listener
 * @returns {() => void} Stops it.
 */
export function whenOnline(listener) {
  globalThis.addEventListener?.("online", listener);
  return () => globalThis.removeEventListener?.("online", listener);
}
