/** `write_file` and `edit_file`: only over what was read, and only as it was read. */

import { WorkspaceError } from "./errors.js";
import { filePartsOf } from "./paths.js";
import { bytesOf, digestOf, PLAIN, textFileOf } from "./texts.js";

/** @import { ClientTools } from "../client_tools.js" */
/** @import { WorkspaceFiles } from "./tools.js" */
/** @import { TextFile } from "./texts.js" */

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * @param {WorkspaceFiles} files
 * @returns {ClientTools}
 */
export function changing(files) {
  const editor = new Editor(files);
  return {
    write_file: (args) => editor.write(args),
    edit_file: (args) => editor.edit(args),
  };
}

class Editor {
  #files;
  /**
   * What an edit made of a file, by its place and the digest before: two edits of one reply are made
   * from the same reading, and done one after the other.
   * @type {Map<string, string>}
   */
  #made = new Map();

  /** @param {WorkspaceFiles} files */
  constructor(files) {
    this.#files = files;
  }

  /** @param {{ path: string, content: string, digest?: string | null }} args */
  async write({ path, content, digest }) {
    const place = filePartsOf(path).join("/");
    const before = await this.#read(place, path);
    if (before && !digest)
      throw new WorkspaceError(`${path}: it exists and was not read: read it first`);
    if (before && digest !== before.digest) throw changed(path);
    const bytes = bytesOf(path, content, before?.form ?? PLAIN);
    await this.#put(place, path, bytes, before);
    return { path, size: bytes.length, digest: await digestOf(bytes), created: !before };
  }

  /**
   * @param {{ path: string, oldText: string, newText: string, replaceAll?: boolean, digest?: string | null }} args
   */
  async edit({ path, oldText, newText, replaceAll = false, digest }) {
    const place = filePartsOf(path).join("/");
    const before = await this.#read(place, path);
    if (!before) throw new WorkspaceError(`${path}: there is no such file`);
    if (digest && before.digest !== digest && before.digest !== this.#latest(place, digest))
      throw changed(path);
    const { text, replaced } = edited(path, before, oldText, newText, replaceAll);
    const bytes = bytesOf(path, text, before.form);
    await this.#put(place, path, bytes, before);
    const made = await digestOf(bytes);
    this.#made.set(`${place}\n${before.digest}`, made);
    return { path, size: bytes.length, digest: made, replaced };
  }

  /**
   * @param {string} place
   * @param {string} path
   */
  async #read(place, path) {
    const bytes = await this.#files.read(place);
    return bytes && (await textFileOf(path, bytes));
  }

  /**
   * What the edits made here have turned a file with this digest into.
   * @param {string} place
   * @param {string} digest
   */
  #latest(place, digest) {
    const seen = new Set([digest]);
    for (
      let made;
      (made = this.#made.get(`${place}\n${digest}`)) && !seen.has(made);
      seen.add(made)
    )
      digest = made;
    return digest;
  }

  /**
   * @param {string} place
   * @param {string} path
   * @param {Uint8Array} bytes
   * @param {TextFile | undefined} before
   */
  async #put(place, path, bytes, before) {
    if (bytes.length > MAX_BYTES) {
      throw new WorkspaceError(
        `${path}: ${bytes.length.toLocaleString("en")} bytes; at most 10 MB are written`,
      );
    }
    await this.#files.write(place, bytes, before?.bytes);
  }
}

/**
 * @param {string} path
 * @param {TextFile} file
 * @param {string} oldText
 * @param {string} newText
 * @param {boolean} replaceAll
 */
function edited(path, { text, form }, oldText, newText, replaceAll) {
  const [from, to] = [oldText, newText].map((each) =>
    form.isCrlf ? each.replaceAll("\r\n", "\n") : each,
  );
  if (!from) throw new WorkspaceError(`${path}: oldText is empty; use write_file for a whole file`);
  if (from === to) throw new WorkspaceError(`${path}: oldText and newText are the same`);
  const pieces = text.split(from);
  const first = text.indexOf(from);
  if (first < 0)
    throw new WorkspaceError(
      `${path}: oldText is not in the file: read it again and copy it exactly`,
    );
  // Places that overlap are two: to replace either would be a guess.
  const isAmbiguous = text.indexOf(from, first + 1) >= 0;
  if (isAmbiguous && !replaceAll) {
    const places = Math.max(2, pieces.length - 1);
    throw new WorkspaceError(
      `${path}: ambiguous: oldText is in ${places} places; give more lines around it, or replaceAll`,
    );
  }
  return { text: pieces.join(to), replaced: pieces.length - 1 };
}

/** @param {string} path */
function changed(path) {
  return new WorkspaceError(`${path}: changed since it was read: read it again`);
}
