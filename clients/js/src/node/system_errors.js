/** Translates errors of the operating system into ones without absolute paths, for the model. */

import { getSystemErrorMap } from "node:util";

import { WorkspaceError } from "../workspace/errors.js";

/**
 * Run file operations; a system error becomes a `WorkspaceError` with this path and the reason.
 * @template T
 * @param {string} path As requested.
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {WorkspaceError} As in "src/a.js: permission denied".
 */
export async function translateErrors(path, work) {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(error);
    throw reason === undefined ? error : new WorkspaceError(`${path}: ${reason}`);
  }
}

/**
 * The system's description of an error; the error's own message contains paths.
 * @param {any} error
 * @returns {string | undefined} Undefined for other errors.
 */
function reasonOf(error) {
  if (error instanceof WorkspaceError || typeof error?.syscall !== "string") return undefined;
  const [, words] = getSystemErrorMap().get(error.errno) ?? [];
  return words ?? `the system refuses it (${error.code})`;
}
