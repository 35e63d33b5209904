/**
 * The tools of the `workspace` agent over any file system.
 *
 * Paths are validated here, and reach the file system as plain parts joined with `/`, "." for the
 * root. The file system must ensure that they do not lead outside, as links could.
 */

import { writeTools } from "./write_tools.js";
import { readTools } from "./read_tools.js";
import { commandTool } from "./command_tool.js";

/** @import { ClientTools } from "../client_tools.js" */

/**
 * An entry of a folder. `size` is that of a file, in bytes.
 * @typedef {{ name: string, type: "file" | "directory" | "link", size?: number }} Entry
 */

/**
 * The end of a command; without an exit code if it was stopped.
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
  return { ...readTools(files), ...writeTools(files), ...commandTool(files) };
}
