/**
 * The tools of the `workspace` agent over any file system.
 *
 * Paths are checked here, and reach the file system as plain parts joined with `/`, "." for the
 * root. That they lead nowhere else (links, for one) is the file system's to see to.
 */

import { changing } from "./changing.js";
import { looking } from "./looking.js";
import { running } from "./running.js";

/** @import { ClientTools } from "../client_tools.js" */

/**
 * What lies in a folder; `size` in bytes, of files alone.
 * @typedef {{ name: string, type: "file" | "directory" | "link", size?: number }} Entry
 */

/**
 * How a command ended; without a code where it was stopped.
 * @typedef {{ exitCode?: number, output: string, isCut?: boolean, isLate?: boolean }} Ended
 */

/**
 * A file system: a folder of a disk, of a browser's private files, of a WebContainer, or in memory.
 * @typedef {object} WorkspaceFiles
 * @property {(path: string) => Promise<Entry[] | undefined>} list A folder's entries; undefined where
 *   there is no such folder.
 * @property {(path: string) => Promise<Uint8Array | undefined>} read A file's bytes; undefined where
 *   there is no such file. It may refuse one that is too large.
 * @property {(path: string, bytes: Uint8Array, before?: Uint8Array) => Promise<void>} write Puts a
 *   file, and the folders above it, in its place. It refuses where the file is not as it was
 *   `before`, or, without that, where there is one.
 * @property {(command: string, options: { timeoutS: number, signal: AbortSignal,
 *   onOutput: (text: string) => void }) => Promise<Ended>} [run] Runs a command in the root.
 */

/**
 * Handlers of the workspace's tools, for `run({ clientTools })`. `run_command` is among them where
 * the file system runs commands.
 * @param {WorkspaceFiles} files
 * @returns {ClientTools}
 */
export function workspaceTools(files) {
  return { ...looking(files), ...changing(files), ...running(files) };
}
