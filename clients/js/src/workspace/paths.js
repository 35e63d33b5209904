/**
 * Paths from a model: relative to the root, with parts joined by `/`. A path is never decoded,
 * expanded or resolved. A part with a special meaning on any system is refused on all.
 */

import { WorkspaceError } from "./errors.js";

const PATH_CHARS = 1_000;
const NAME_BYTES = 255;
const MAX_PARTS = 64;
const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/i;
const SHORT = /^[^.]{1,6}~[0-9]+(?:\.[^.]{0,3})?$/;
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/**
 * Split a path into its parts; the root itself, ".", has none.
 * @param {string} path
 * @returns {string[]}
 * @throws {WorkspaceError}
 */
export function partsOf(path) {
  if (typeof path !== "string" || !path) throw new WorkspaceError('path: write "." for the root');
  if (path.length > PATH_CHARS) throw pathError(path, `longer than ${PATH_CHARS} characters`);
  if (/^[/\\]/.test(path))
    throw pathError(path, "paths begin at the workspace's root, as in src/main.js");
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length > MAX_PARTS) throw pathError(path, `deeper than ${MAX_PARTS} folders`);
  if (parts[0]?.startsWith("~"))
    throw pathError(path, "the home directory is not part of the workspace");
  for (const part of parts) {
    const reason = reasonAgainst(part);
    if (reason) throw pathError(path, reason);
  }
  return parts;
}

/**
 * Split the path of a file into its parts.
 * @param {string} path
 * @throws {WorkspaceError}
 */
export function filePartsOf(path) {
  const parts = partsOf(path);
  if (!parts.length || /\/\.?$/.test(path)) throw pathError(path, "a folder, not a file");
  return parts;
}

/**
 * The reason why a name cannot be part of a path, or undefined.
 * @param {string} name
 * @returns {string | undefined}
 */
function reasonAgainst(name) {
  const compatible = name.normalize("NFKC");
  if (UNSEEN.test(name)) return "control characters are not taken";
  if (new TextEncoder().encode(name).length > NAME_BYTES)
    return `a name is longer than ${NAME_BYTES} bytes`;
  if (/^[. ]+$/.test(compatible)) return "a path cannot go up, nor have names of dots";
  if (/[\\/]/.test(compatible)) return "only / joins the parts of a path";
  if (compatible.includes(":")) return "a colon (drives, streams) is not taken";
  if (/[. ]$/.test(compatible) || name.startsWith(" "))
    return "a name cannot begin with a space, nor end with one or a dot";
  if (DEVICE.test(compatible.split(".")[0].trimEnd())) return "that is a device on Windows";
  if (SHORT.test(compatible)) return "Windows reads it as the short form of another name";
  return undefined;
}

/**
 * @param {string} path
 * @param {string} reason
 */
function pathError(path, reason) {
  const shown = path.slice(0, 100).replace(new RegExp(UNSEEN, "gu"), "\ufffd");
  return new WorkspaceError(`${shown}: ${reason}`);
}
