/** Going through folders, within bounds of number and time, and without keeping a page waiting. */

import { WorkspaceError } from "./errors.js";

/** @import { Entry, WorkspaceFiles } from "./tools.js" */

/** So many entries one listing or search looks at. */
const MAX_SEEN = 20_000;
const MAX_MS = 10_000;
/** So long it works before a page may do what else it has to do: less than a frame. */
const SLICE_MS = 8;

/** Folders that are only gone into where they are named. */
const LEFT_OUT = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  "venv",
  ".venv",
  "__pycache__",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".next",
  ".nuxt",
  ".dart_tool",
  ".gradle",
  ".terraform",
  ".cache",
]);

/** One way through folders; `isCut` where a bound ended it early. */
export class Walk {
  #files;
  #signal;
  #left = MAX_SEEN;
  #ends = performance.now() + MAX_MS;
  #pauseAt = performance.now() + SLICE_MS;
  isCut = false;

  /**
   * @param {WorkspaceFiles} files
   * @param {AbortSignal} signal
   */
  constructor(files, signal) {
    this.#files = files;
    this.#signal = signal;
  }

  isInTime() {
    if (performance.now() < this.#ends) return true;
    this.isCut = true;
    return false;
  }

  isPauseDue() {
    return performance.now() >= this.#pauseAt;
  }

  /** Let the page do what waits; an abort, which may have come meanwhile, ends the walk. */
  async pause() {
    await turnOfTheLoop();
    this.#signal.throwIfAborted();
    this.#pauseAt = performance.now() + SLICE_MS;
  }

  /**
   * What lies below a folder, by name, what is near first. Links are not followed, and folders that
   * are not for us to read are passed over.
   * @param {string} place
   * @param {string} path As it was asked for.
   * @param {number} depth
   */
  async *below(place, path, depth) {
    if (!(await this.#files.list(place)))
      throw new WorkspaceError(`${path}: there is no such folder`);
    const waiting = [{ at: place, level: 1 }];
    for (let next; (next = waiting.shift());) {
      const { at, level } = next;
      for (const entry of sorted(await this.#entries(at))) {
        this.#signal.throwIfAborted();
        if (this.isPauseDue()) await this.pause();
        if (this.#left-- <= 0 || !this.isInTime()) {
          this.isCut = true;
          return;
        }
        const below = at === "." ? entry.name : `${at}/${entry.name}`;
        yield { path: below, type: entry.type, size: entry.size };
        const isEntered = entry.type === "directory" && !LEFT_OUT.has(entry.name);
        if (isEntered && level < depth) waiting.push({ at: below, level: level + 1 });
      }
    }
  }

  /** @param {string} place */
  async #entries(place) {
    try {
      return (await this.#files.list(place)) ?? [];
    } catch (error) {
      if (error instanceof WorkspaceError) return [];
      throw error;
    }
  }
}

/** @param {Entry[]} entries */
function sorted(entries) {
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Unlike a timer's, this turn comes soon in a tab that is hidden, too. */
function turnOfTheLoop() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(undefined);
  });
}
