/**
 * The paths inside a folder that are refused: secrets, startup files and repositories.
 *
 * `guarded_files.js` lists them, each with its reason. A path there is a name (`.bashrc`, `*.pem`),
 * the end of a path (`.cargo/config.toml`) or, with a slash at its end, a folder anywhere with all
 * below it (`.git/`). What is of kind `project` (a `Makefile`) is read and written as any file: the
 * server asks about each change.
 */

import { GUARDED_FILES } from "../workspace/guarded_files.js";

/** @typedef {"secret" | "repository" | "startup" | "project"} Kind */
/** @typedef {{ kind: Kind, reason: string }} Guarded */

const TEMPORARY = /^\.rollcall-[0-9a-f]{16}\.tmp$/;
const WORDS = /[\s;|&<>()`$={}:,@]+/;
const EXCEPTIONS = GUARDED_FILES.secretExceptions.map(pattern);
const PATHS = GUARDED_FILES.files.flatMap(({ kind, reason, paths }) =>
  paths.map((path) => ({
    guarded: { kind: /** @type {Kind} */ (kind), reason },
    isFolder: path.endsWith("/"),
    parts: path.replace(/\/$/, "").split("/").map(fold).map(pattern),
  })),
);

/** A pattern for the last parts of all guarded paths, to pass quickly over all others. */
const LAST_PARTS = new RegExp(
  [...new Set(PATHS.map(({ parts }) => parts[parts.length - 1].source))].join("|"),
  "su",
);

/**
 * The rule that guards a path, or undefined.
 * @param {string[]} parts
 * @returns {Guarded | undefined}
 */
export function guardedFile(parts) {
  const names = parts.map(fold);
  const last = names.at(-1);
  if (last === undefined || !names.some((name) => LAST_PARTS.test(name))) return undefined;
  return PATHS.find(({ guarded, isFolder, parts: wanted }) => {
    if (guarded.kind === "secret" && !isFolder && EXCEPTIONS.some((each) => each.test(last)))
      return false;
    return isFolder
      ? names.some((_, at) => fits(wanted, names, at))
      : fits(wanted, names, names.length - wanted.length);
  })?.guarded;
}

/**
 * The paths that a command names literally, without quotes. Names that the shell assembles
 * (`a=.e; cat ${a}nv`) are not detected: a person approves the command.
 * @param {string} command
 * @returns {string[]}
 */
export function pathsIn(command) {
  return command.replace(/['"\\]/g, "").split(WORDS).filter(Boolean);
}

/**
 * A regular expression for a shell's wildcard pattern of one name.
 * @param {string} glob With `*`, `?` and `[…]`.
 */
export function pattern(glob) {
  const source = glob.replace(/\*|\?|\[!?[^\]]+\]|[\\^$.|+(){}[\]]/g, (found) => {
    if (found === "*") return ".*";
    if (found === "?") return ".";
    if (found.length > 1) return `[${found.slice(1, -1).replace(/^!/, "^").replace(/\\/g, "\\\\")}]`;
    return `\\${found}`;
  });
  return new RegExp(`^${source}$`, "su");
}

/** @param {string} digits */
export function temporaryName(digits) {
  return `.rollcall-${digits}.tmp`;
}

/**
 * Whether it is a temporary file of this client.
 * @param {string} name
 */
export function isTemporary(name) {
  return TEMPORARY.test(name);
}

/**
 * @param {RegExp[]} wanted
 * @param {string[]} names
 * @param {number} start
 */
function fits(wanted, names, start) {
  if (start < 0 || start + wanted.length > names.length) return false;
  return wanted.every((each, at) => each.test(names[start + at]));
}

/**
 * Normalize a name as the most lenient file system compares it.
 * @param {string} name
 */
function fold(name) {
  return name
    .replace(/\p{Cf}/gu, "")
    .normalize("NFKC")
    .toLowerCase();
}
