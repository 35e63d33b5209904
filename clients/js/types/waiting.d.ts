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
 * Be told whenever the device is online again, where somebody tells that.
 * @param {() => void} listener
 * @returns {() => void} Stops it.
 */
export function whenOnline(listener: () => void): () => void;
