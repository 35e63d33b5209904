/**
 * A test whether a path is meant by a glob: one without `/` is for names in any folder.
 * @param {string} glob As in "*.py", "src/**\/*.{js,ts}".
 * @returns {(path: string) => boolean}
 */
export function globMatcher(glob: string): (path: string) => boolean;
