/** What the system refuses, told by a path inside of the root: a model learns nothing of the disk. */

import { getSystemErrorMap } from "node:util";

import { WorkspaceError } from "../workspace/errors.js";

/**
 * Do something with a file; an error of the system names this path and the reason.
 * @template T
 * @param {string} path As it was asked for.
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {WorkspaceError} As in "src/a.js: permission denied".
 */
export async function told(path, work) {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(error);
    throw reason === undefined ? error : new WorkspaceError(`${path}: ${reason}`);
  }
}

/**
 * The system's own words; its errors' messages have paths in them.
 * @param {any} error
 * @returns {string | undefined} Undefined where it is no error of the system.
 */
function reasonOf(error) {
  if (error instanceof WorkspaceError || typeof error?.syscall !== "string") return undefined;
  const [, words] = getSystemErrorMap().get(error.errno) ?? [];
  return words ?? `the system refuses it (${error.code})`;
}
