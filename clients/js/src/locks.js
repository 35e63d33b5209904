/**
 * Exclusive locks by name: among all tabs and workers of a site where the browser has Web Locks,
 * elsewhere among the runs of one process or page.
 */

import { newId } from "./ids.js";
import { unlessAborted } from "./retry.js";

/** The error in a page without an origin, such as a sandboxed frame. */
const NO_ORIGIN = "SecurityError";

/** This process or page. */
const HERE = newId();
/** The key in localStorage of the id that a browser's tabs share. */
const PLACE = "rollcall-place";

/** By lock name: settles when the last in its queue has released it. */
const queues = /** @type {Map<string, Promise<unknown>>} */ (new Map());

export class Locks {
  /** @type {Pick<LockManager, "request"> | undefined} */
  #shared = globalThis.navigator?.locks;

  /** The id of those that share these locks: the site's tabs in this browser, or this process or page. */
  get place() {
    try {
      if (!this.#shared || !globalThis.document) return HERE;
      const { localStorage } = globalThis;
      if (!localStorage.getItem(PLACE)) localStorage.setItem(PLACE, HERE);
      return localStorage.getItem(PLACE) ?? HERE;
    } catch {
      return HERE; // a page without storage
    }
  }

  /**
   * Acquire the lock of this name.
   * @param {string} name
   * @param {AbortSignal} signal Ends the wait.
   * @returns {Promise<() => void>} Releases it; a second call does nothing.
   */
  async take(name, signal) {
    if (!this.#shared) return this.#takeHere(name, signal);
    try {
      return await takeOf(this.#shared, name, signal);
    } catch (error) {
      if (signal.aborted || /** @type {Error} */ (error).name !== NO_ORIGIN) throw error;
      return this.#takeHere(name, signal);
    }
  }

  /**
   * @param {string} name
   * @param {AbortSignal} signal
   * @returns {Promise<() => void>}
   */
  async #takeHere(name, signal) {
    const before = queues.get(name);
    /** @type {() => void} */
    let give = () => undefined;
    const held = new Promise((resolve) => (give = () => resolve(undefined)));
    const free = Promise.all([before, held]);
    queues.set(name, free);
    void free.then(() => queues.get(name) === free && queues.delete(name));
    try {
      await unlessAborted(before, signal);
    } catch (error) {
      give();
      throw error;
    }
    return give;
  }
}

/**
 * @param {Pick<LockManager, "request">} locks
 * @param {string} name
 * @param {AbortSignal} signal
 * @returns {Promise<() => void>}
 */
function takeOf(locks, name, signal) {
  return new Promise((resolve, reject) => {
    const held = () => new Promise((give) => resolve(() => give(undefined)));
    locks.request(name, { signal }, held).catch(reject);
  });
}
