/**
 * Do something with a file; an error of the system names this path and the reason.
 * @template T
 * @param {string} path As it was asked for.
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {WorkspaceError} As in "src/a.js: permission denied".
 */
export function told<T>(path: string, work: () => Promise<T>): Promise<T>;
