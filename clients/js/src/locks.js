/**
 * One at a time. Among all tabs and workers of a site where the browser has Web Locks; elsewhere
 * among the runs of one process or page.
 */

import { newId } from "./ids.js";
import { unlessAborted } from "./waiting.js";

/** Of a page without an origin of its own, as in a sandboxed frame. */
const NO_ORIGIN = "SecurityError";

/** This process or page. */
const HERE = newId();
/** Where a browser keeps the id that its tabs share. */
const PLACE = "rollcall-place";

/** By its name, when the last that asked for it will have given it back. */
const given = /** @type {Map<string, Promise<unknown>>} */ (new Map());

export class Locks {
  /** @type {Pick<LockManager, "request"> | undefined} */
  #shared = globalThis.navigator?.locks;

  /** An id of all that share these locks: a browser's tabs of this site, or this process or page. */
  get place() {
    try {
      if (!this.#shared || !globalThis.document) return HERE;
      const { localStorage } = globalThis;
      if (!localStorage.getItem(PLACE)) localStorage.setItem(PLACE, HERE);
      return localStorage.getItem(PLACE) ?? HERE;
    } catch {
      return HERE; // a page that may keep nothing
    }
  }

  /**
   * Wait until nobody else holds what has this name, and hold it.
   * @param {string} name
   * @param {AbortSignal} signal Ends the waiting.
   * @returns {Promise<() => void>} Gives it back; a second time does nothing.
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
    const before = given.get(name);
    /** @type {() => void} */
    let give = () => undefined;
    const held = new Promise((resolve) => (give = () => resolve(undefined)));
    const free = Promise.all([before, held]);
    given.set(name, free);
    void free.then(() => given.get(name) === free && given.delete(name));
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
