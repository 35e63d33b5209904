/**
 * Split a path into its parts; the root itself, ".", has none.
 * @param {string} path
 * @returns {string[]}
 * @throws {WorkspaceError}
 */
export function partsOf(path: string): string[];
/**
 * Split the path of a file into its parts.
 * @param {string} path
 * @throws {WorkspaceError}
 */
export function filePartsOf(path: string): string[];
