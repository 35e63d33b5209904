/**
 * A folder of the disk as a workspace.
 *
 * Every part of a path is checked before it is entered: links are refused, and an opened file is
 * compared with what was checked. Node cannot open a file relative to an open folder, so a program that
 * swaps folders for links at that very moment can win the race: this confines a model, not another
 * program of the same user.
 */

import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises";
import { join, resolve, sep } from "node:path";

import { WorkspaceError } from "../workspace/errors.js";
import { filePartsOf, partsOf } from "../workspace/paths.js";
import { runCommand } from "./commands.js";
import { guardedFile, isTemporary, pathsIn, pattern, temporaryName } from "./guard.js";
import { translateErrors } from "./system_errors.js";

/** @import { Dirent, Stats } from "node:fs" */
/** @import { FileHandle } from "node:fs/promises" */
/** @import { Entry, WorkspaceFiles } from "../workspace/tools.js" */

const MAX_BYTES = 10 * 1024 * 1024;
/** The most entries of a folder that a command's wildcards are compared with. */
const MAX_ENTRIES = 10_000;
/** The entries by which git recognizes a repository, whatever the folder's name. */
const REPOSITORY = ["HEAD", "objects", "refs"];

/**
 * @typedef {object} Allowed The refusals that the app lifts.
 * @property {boolean} [secrets] Files that are known to hold keys and passwords.
 * @property {boolean} [hardLinks] Files with another name, maybe outside the folder.
 * @property {boolean} [startupFiles] Writing files that a shell, an editor or git runs by itself.
 * @property {boolean} [commands] Running commands; true by default.
 * @property {string[]} [environment] Names of further environment variables that commands get.
 */

export class DiskFiles {
  #root;
  #allowed;
  /** @type {WorkspaceFiles["run"]} */
  run;

  /**
   * @param {string} root The folder.
   * @param {Allowed} [allowed]
   */
  constructor(root, allowed = {}) {
    this.#root = translateErrors("the workspace's folder", () => realpath(resolve(root)));
    this.#root.catch(() => undefined); // the first use tells
    this.#allowed = allowed;
    const { commands = true, environment = [] } = allowed;
    if (commands) {
      this.run = async (command, options) => {
        const folder = await this.#root;
        await this.#checkCommand(command, folder);
        return runCommand(command, { ...options, folder, environment });
      };
    }
  }

  /**
   * @param {string} path
   * @returns {Promise<Entry[] | undefined>}
   */
  async list(path) {
    const parts = partsOf(path);
    this.#checkRead(parts, path);
    return translateErrors(path, async () => {
      const folder = await this.#folder(parts, path);
      if (!folder) return undefined;
      const found = await readdir(folder, { withFileTypes: true });
      const shown = found.filter(({ name }) => !isTemporary(name));
      return (await Promise.all(shown.map((each) => entriesOf(folder, each)))).flat();
    });
  }

  /**
   * @param {string} path
   * @returns {Promise<Uint8Array | undefined>}
   */
  async read(path) {
    const parts = filePartsOf(path);
    this.#checkRead(parts, path);
    return translateErrors(path, async () => {
      const folder = await this.#folder(parts.slice(0, -1), path);
      return folder ? this.#bytes(join(folder, parts[parts.length - 1]), path) : undefined;
    });
  }

  /**
   * @param {string} path
   * @param {Uint8Array} bytes
   * @param {Uint8Array} [before]
   */
  async write(path, bytes, before) {
    const parts = filePartsOf(path);
    this.#checkRead(parts, path);
    await this.#checkWrite(parts, path);
    return translateErrors(path, () => this.#put(parts, path, bytes, before));
  }

  /**
   * @param {string[]} parts
   * @param {string} path
   */
  #checkRead(parts, path) {
    const reason = this.#unreadable(parts);
    if (reason) throw new WorkspaceError(`${path}: ${reason}`);
  }

  /**
   * @param {string[]} parts
   * @param {string} path
   */
  async #checkWrite(parts, path) {
    const found = guardedFile(parts);
    if (found?.kind === "startup" && !this.#allowed.startupFiles) {
      throw new WorkspaceError(`${path}: ${found.reason}; write it yourself`);
    }
    const root = await this.#root;
    for (const depth of parts.keys()) {
      const folder = join(root, ...parts.slice(0, depth));
      const stats = await Promise.all(REPOSITORY.map((name) => statOf(join(folder, name))));
      if (stats.every(Boolean)) {
        throw new WorkspaceError(
          `${path}: it lies in a git repository, whose configuration git obeys; it is not touched`,
        );
      }
    }
  }

  /**
   * Refuse a command that names a file which may not be read, literally or by wildcards.
   * @param {string} command
   * @param {string} root
   */
  async #checkCommand(command, root) {
    for (const word of pathsIn(command)) {
      const parts = word.split("/").filter((part) => part !== "" && part !== ".");
      const meant = /[*?[]/.test(word) ? [parts, ...(await matchingPaths(parts, root))] : [parts];
      for (const each of meant) this.#checkRead(each, `command: ${each.join("/")}`);
    }
  }

  /**
   * The reason why a path may not be read, or undefined.
   * @param {string[]} parts
   */
  #unreadable(parts) {
    const found = guardedFile(parts);
    if (found?.kind === "repository") {
      return `${found.reason}; it is not touched: use its command, such as git`;
    }
    if (found?.kind !== "secret" || this.#allowed.secrets) return undefined;
    return `${found.reason}, and is not for a model`;
  }

  /**
   * @param {string[]} parts
   * @param {string} path
   * @param {Uint8Array} bytes
   * @param {Uint8Array} [before]
   */
  async #put(parts, path, bytes, before) {
    const above = parts.slice(0, -1);
    const folder = await this.#folder(above, path, { isMade: !before });
    if (!folder) throw new WorkspaceError(`${path}: its folder is gone`);
    const temporary = join(folder, temporaryName(randomBytes(8).toString("hex")));
    const target = join(folder, parts[parts.length - 1]);
    const mode = before && (await statOf(target))?.mode;
    try {
      await written(temporary, bytes, mode === undefined ? undefined : mode & 0o777);
      if ((await this.#folder(above, path)) !== folder) throw movedError(path);
      if (before) await this.#replace(temporary, target, path, before);
      else await create(temporary, target, path);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /**
   * @param {string} temporary
   * @param {string} target
   * @param {string} path
   * @param {Uint8Array} before
   */
  async #replace(temporary, target, path, before) {
    const now = await this.#bytes(target, path);
    if (!now || Buffer.compare(now, before) !== 0) {
      throw new WorkspaceError(`${path}: it was changed meanwhile: read it again`);
    }
    await rename(temporary, target);
  }

  /**
   * The absolute path of a folder, whose parts must all be folders and no links; undefined if there is none.
   * @param {string[]} parts
   * @param {string} path As it was asked for.
   * @param {{ isMade?: boolean }} [options] Whether what is missing is made.
   * @returns {Promise<string | undefined>}
   */
  async #folder(parts, path, { isMade = false } = {}) {
    const root = await this.#root;
    let at = root;
    for (const part of parts) {
      at = join(at, part);
      if (isMade) await mkdir(at).catch(unlessThere);
      const stat = await statOf(at);
      if (!stat) return undefined;
      if (stat.isSymbolicLink())
        throw new WorkspaceError(`${path}: ${part} is a link; links are not followed`);
      if (!stat.isDirectory()) return undefined;
    }
    const real = await realpath(at);
    if (real !== root && !real.startsWith(root.endsWith(sep) ? root : root + sep))
      throw movedError(path);
    return real;
  }

  /**
   * @param {string} file
   * @param {string} path
   * @returns {Promise<Uint8Array | undefined>}
   */
  async #bytes(file, path) {
    const looked = await statOf(file);
    if (!looked) return undefined;
    this.#check(looked, path);
    const handle = await open(
      file,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    try {
      const stat = await handle.stat();
      this.#check(stat, path);
      if (stat.ino !== looked.ino || stat.dev !== looked.dev) throw movedError(path);
      if (stat.size > MAX_BYTES) throw tooLarge(path, stat.size);
      return await readBounded(handle, path);
    } finally {
      await handle.close();
    }
  }

  /**
   * @param {Stats} stat
   * @param {string} path
   */
  #check(stat, path) {
    if (stat.isSymbolicLink()) throw new WorkspaceError(`${path}: a link; links are not followed`);
    if (stat.isDirectory()) throw new WorkspaceError(`${path}: a folder, not a file`);
    if (!stat.isFile()) throw new WorkspaceError(`${path}: not a regular file`);
    if (stat.nlink > 1 && !this.#allowed.hardLinks) {
      throw new WorkspaceError(
        `${path}: it has another name, maybe outside of the workspace (a hard link)`,
      );
    }
  }
}

/**
 * The paths below a folder that match a shell pattern, as parts.
 * @param {string[]} wanted
 * @param {string} root
 * @returns {Promise<string[][]>}
 */
async function matchingPaths(wanted, root) {
  /** @type {string[][]} */
  let found = [[]];
  for (const part of wanted) {
    const fits = pattern(part);
    const below = await Promise.all(
      found.map(async (parts) => {
        const names = await readdir(join(root, ...parts)).catch(() => []);
        return names
          .filter((name) => fits.test(name) && (part.startsWith(".") || !name.startsWith(".")))
          .map((name) => [...parts, name]);
      }),
    );
    found = below.flat().slice(0, MAX_ENTRIES);
  }
  return found;
}

/**
 * The entry of a folder's item; undefined for devices, pipes and sockets.
 * @param {string} folder
 * @param {Dirent} entry
 * @returns {Promise<Entry[]>}
 */
async function entriesOf(folder, entry) {
  const { name } = entry;
  if (entry.isSymbolicLink()) return [{ name, type: "link" }];
  if (entry.isDirectory()) return [{ name, type: "directory" }];
  if (!entry.isFile()) return [];
  const size = (await statOf(join(folder, name)))?.size;
  return [{ name, type: "file", ...(size !== undefined && { size }) }];
}

/**
 * Read a file up to the size limit, even if it grows meanwhile.
 * @param {FileHandle} handle
 * @param {string} path
 */
async function readBounded(handle, path) {
  const chunks = [];
  let size = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(65_536), 0, 65_536, null);
    if (!bytesRead) return new Uint8Array(Buffer.concat(chunks));
    chunks.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
    if (size > MAX_BYTES) throw tooLarge(path, size);
  }
}

/**
 * @param {string} temporary
 * @param {Uint8Array} bytes
 * @param {number | undefined} mode
 */
async function written(temporary, bytes, mode) {
  const handle = await open(temporary, "wx", mode ?? 0o666);
  try {
    await handle.writeFile(bytes);
    if (mode !== undefined) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Give a file its name, unless the name is taken.
 * @param {string} temporary
 * @param {string} target
 * @param {string} path
 */
async function create(temporary, target, path) {
  try {
    await link(temporary, target);
  } catch (error) {
    if (codeOf(error) === "EEXIST")
      throw new WorkspaceError(`${path}: it was created meanwhile: read it first`);
    throw error;
  }
}

/**
 * @param {string} file
 * @returns {Promise<Stats | undefined>}
 */
async function statOf(file) {
  try {
    return await lstat(file);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** @param {unknown} error */
function unlessThere(error) {
  if (codeOf(error) !== "EEXIST") throw error;
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}

/** @param {string} path */
function movedError(path) {
  return new WorkspaceError(`${path}: it was moved meanwhile: read it again`);
}

/**
 * @param {string} path
 * @param {number} size
 */
function tooLarge(path, size) {
  return new WorkspaceError(`${path}: ${size.toLocaleString("en")} bytes; at most 10 MB are read`);
}
