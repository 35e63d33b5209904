/**
 * Run file operations; a system error becomes a `WorkspaceError` with this path and the reason.
 * @template T
 * @param {string} path As requested.
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {WorkspaceError} As in "src/a.js: permission denied".
 */
export function translateErrors<T>(path: string, work: () => Promise<T>): Promise<T>;
