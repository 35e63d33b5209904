/**
 * The parts of a path; none for the root itself, which is written ".".
 * @param {string} path
 * @returns {string[]}
 * @throws {WorkspaceError}
 */
export function partsOf(path: string): string[];
/**
 * The parts of a path that names a file.
 * @param {string} path
 * @throws {WorkspaceError}
 */
export function filePartsOf(path: string): string[];
