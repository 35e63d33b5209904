/** A workspace in memory, for browsers and tests. */

import { WorkspaceError } from "./errors.js";
import { filePartsOf } from "./paths.js";

/** @import { Entry } from "./tools.js" */

/** Files in memory. They do not outlive the page. */
export class MemoryFiles {
  /** @type {Map<string, Uint8Array>} */
  #files = new Map();

  /** @param {Record<string, string | Uint8Array>} [files] By their paths. */
  constructor(files = {}) {
    for (const [path, content] of Object.entries(files)) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      this.#files.set(filePartsOf(path).join("/"), bytes);
    }
  }

  /** The files' texts by their paths. */
  get texts() {
    const sorted = [...this.#files].sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(
      sorted.map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]),
    );
  }

  /**
   * @param {string} path
   * @returns {Promise<Entry[] | undefined>}
   */
  async list(path) {
    return this.#list(path);
  }

  /**
   * @param {string} path
   * @returns {Entry[] | undefined}
   */
  #list(path) {
    const prefix = path === "." ? "" : `${path}/`;
    /** @type {Map<string, Entry>} */
    const found = new Map();
    for (const [each, bytes] of this.#files) {
      if (!each.startsWith(prefix)) continue;
      const [name, ...below] = each.slice(prefix.length).split("/");
      found.set(
        name,
        below.length ? { name, type: "directory" } : { name, type: "file", size: bytes.length },
      );
    }
    return found.size || path === "." ? [...found.values()] : undefined;
  }

  /**
   * @param {string} path
   * @returns {Promise<Uint8Array | undefined>}
   */
  async read(path) {
    return this.#files.get(path);
  }

  /**
   * @param {string} path
   * @param {Uint8Array} bytes
   * @param {Uint8Array} [before]
   */
  async write(path, bytes, before) {
    const now = this.#files.get(path);
    const isSame =
      now?.length === before?.length && !now?.some((byte, at) => byte !== before?.[at]);
    if (!isSame) throw new WorkspaceError(`${path}: it was changed meanwhile: read it again`);
    const parts = path.split("/");
    const above = parts.slice(1).map((_, n) => parts.slice(0, n + 1).join("/"));
    const isInFile = above.some((folder) => this.#files.has(folder));
    const isFolder = !now && this.#list(path) !== undefined;
    if (isInFile || isFolder)
      throw new WorkspaceError(`${path}: a file and a folder cannot have one name`);
    this.#files.set(path, bytes);
  }
}
