/**
 * A test whether a path matches a glob. One without `/` matches names in any folder.
 * @param {string} glob As in "*.py", "src/**\/*.{js,ts}".
 * @returns {(path: string) => boolean}
 */
export function globMatcher(glob: string): (path: string) => boolean;
