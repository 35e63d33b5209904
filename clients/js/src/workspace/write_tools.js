/** The tools that write: `write_file` and `edit_file`, only to files that were read and are unchanged. */

import { WorkspaceError } from "./errors.js";
import { filePartsOf } from "./paths.js";
import { bytesOf, digestOf, PLAIN, textFileOf } from "./text_file.js";

/** @import { ClientTools } from "../client_tools.js" */
/** @import { WorkspaceFiles } from "./tools.js" */
/** @import { TextFile } from "./text_file.js" */

const MAX_BYTES = 10 * 1024 * 1024;

/**
 * @param {WorkspaceFiles} files
 * @returns {ClientTools}
 */
export function writeTools(files) {
  const editor = new Editor(files);
  return {
    write_file: (args) => editor.write(args),
    edit_file: (args) => editor.edit(args),
  };
}

class Editor {
  #files;
  /**
   * The digest after an edit, by path and digest before: two edits of one reply have the digest of the
   * same read, and are made one after the other.
   * @type {Map<string, string>}
   */
  #edits = new Map();

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
    if (before && digest !== before.digest) throw staleFile(path);
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
      throw staleFile(path);
    const { text, replaced } = replaceText(path, before, oldText, newText, replaceAll);
    const bytes = bytesOf(path, text, before.form);
    await this.#put(place, path, bytes, before);
    const made = await digestOf(bytes);
    this.#edits.set(`${place}\n${before.digest}`, made);
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
   * The digest of a file after all edits made here since it had this digest.
   * @param {string} place
   * @param {string} digest
   */
  #latest(place, digest) {
    const seen = new Set([digest]);
    for (
      let made;
      (made = this.#edits.get(`${place}\n${digest}`)) && !seen.has(made);
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
function replaceText(path, { text, form }, oldText, newText, replaceAll) {
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
  // Overlapping occurrences count as two: replacing either would be a guess.
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
function staleFile(path) {
  return new WorkspaceError(`${path}: changed since it was read: read it again`);
}
