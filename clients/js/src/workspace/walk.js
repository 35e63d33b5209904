/** A breadth-first walk through folders, limited in entries and time, without blocking the page. */

import { WorkspaceError } from "./errors.js";

/** @import { Entry, WorkspaceFiles } from "./tools.js" */

/** The most entries that one listing or search visits. */
const MAX_ENTRIES = 20_000;
const MAX_MS = 10_000;
/** How long it works before it yields to the page: less than a frame. */
const SLICE_MS = 8;

/** Folders that are only entered if the request names them. */
const IGNORED = new Set([
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

/** A walk through folders. `isCut` becomes true when a limit ends it early. */
export class Walk {
  #files;
  #signal;
  #left = MAX_ENTRIES;
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

  /** Yield to the page. An abort, which may have come meanwhile, ends the walk. */
  async pause() {
    await yieldToLoop();
    this.#signal.throwIfAborted();
    this.#pauseAt = performance.now() + SLICE_MS;
  }

  /**
   * The entries below a folder, sorted by name, the nearest first. Links are not followed, and
   * unreadable folders are skipped.
   * @param {string} place
   * @param {string} path As requested.
   * @param {number} depth
   */
  async *below(place, path, depth) {
    if (!(await this.#files.list(place)))
      throw new WorkspaceError(`${path}: there is no such folder`);
    const waiting = [{ at: place, level: 1 }];
    for (let next; (next = waiting.shift());) {
      const { at, level } = next;
      for (const entry of sortByName(await this.#entries(at))) {
        this.#signal.throwIfAborted();
        if (this.isPauseDue()) await this.pause();
        if (this.#left-- <= 0 || !this.isInTime()) {
          this.isCut = true;
          return;
        }
        const below = at === "." ? entry.name : `${at}/${entry.name}`;
        yield { path: below, type: entry.type, size: entry.size };
        const isEntered = entry.type === "directory" && !IGNORED.has(entry.name);
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
function sortByName(entries) {
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Unlike a timer, this is not throttled in a hidden tab. */
function yieldToLoop() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(undefined);
  });
}
