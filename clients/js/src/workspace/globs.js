/** Glob patterns for paths: `*.py`, `src/**\/*.ts`, `*.{js,jsx}`. */

import { matcher } from "./pattern.js";

/**
 * A test whether a path matches a glob. One without `/` matches names in any folder.
 * @param {string} glob As in "*.py", "src/**\/*.{js,ts}".
 * @returns {(path: string) => boolean}
 */
export function globMatcher(glob) {
  const matches = matcher(sourceOf(glob), { isWhole: true });
  return (path) => matches(glob.includes("/") ? path : path.slice(path.lastIndexOf("/") + 1));
}

/**
 * @param {string} glob
 * @returns {string}
 */
function sourceOf(glob) {
  const marks = /\*\*\/|\*\*|\*|\?|\[!?[^\]/]+\]|\{[^{}]*\}|[^]/gu;
  return glob.replace(marks, (mark) => {
    if (mark === "**/") return "(?:[^/]+/)*";
    if (mark === "**") return ".*";
    if (mark === "*") return "[^/]*";
    if (mark === "?") return "[^/]";
    if (mark.length > 1 && mark[0] === "[")
      return mark.replace("[!", "[^").replaceAll("\\", "\\\\");
    if (mark.length > 1 && mark[0] === "{") {
      return `(?:${mark.slice(1, -1).split(",").map(sourceOf).join("|")})`;
    }
    return /[\p{L}\p{N}_\s]|[^\0-\x7f]/u.test(mark) ? mark : `\\${mark}`;
  });
}
