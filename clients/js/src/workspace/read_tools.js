/** The tools that only read: `list_directory`, `read_file` and `search_files`. */

import { WorkspaceError } from "./errors.js";
import { globMatcher } from "./globs.js";
import { filePartsOf, partsOf } from "./paths.js";
import { matcher } from "./pattern.js";
import { textFileOf } from "./text_file.js";
import { Walk } from "./walk.js";

/** @import { ClientTools } from "../client_tools.js" */
/** @import { WorkspaceFiles } from "./tools.js" */

/** The most text in one result, in characters of JSON. */
const CONTENT_CHARS = 50_000;
const MAX_ENTRIES = 1_000;
/** How much of a line is shown, and searched by a regular expression. */
const LINE_CHARS = 2_000;
/** Larger files are not searched. */
const SEARCHED_BYTES = 2 * 1024 * 1024;
const DEEPEST = 64;

/**
 * @param {WorkspaceFiles} files
 * @returns {ClientTools}
 */
export function readTools(files) {
  return {
    list_directory: { run: (args, { signal }) => listDirectory(files, args, signal), reads: true },
    read_file: { run: (args) => readFile(files, args), reads: true },
    search_files: { run: (args, { signal }) => searchFiles(files, args, signal), reads: true },
  };
}

/**
 * @param {WorkspaceFiles} files
 * @param {{ path?: string, depth?: number }} args
 * @param {AbortSignal} signal
 */
async function listDirectory(files, { path = ".", depth = 1 }, signal) {
  const walk = new Walk(files, signal);
  /** @type {{ path: string, type: string, size?: number }[]} */
  const entries = [];
  let chars = 0;
  for await (const { path: at, type, size } of walk.below(joinPath(partsOf(path)), path, depth)) {
    chars += at.length;
    if (entries.length === MAX_ENTRIES || chars > CONTENT_CHARS) {
      walk.isCut = true;
      break;
    }
    entries.push({ path: at, type, ...(size !== undefined && { size }) });
  }
  return { path, entries, ...(walk.isCut && { truncated: true }) };
}

/**
 * @param {WorkspaceFiles} files
 * @param {{ path: string, startLine?: number, endLine?: number | null }} args
 */
async function readFile(files, { path, startLine = 1, endLine }) {
  const bytes = await files.read(joinPath(filePartsOf(path)));
  if (!bytes) throw new WorkspaceError(`${path}: there is no such file`);
  const { text, digest } = await textFileOf(path, bytes);
  const lines = linesOf(text);
  if (startLine > Math.max(lines.length, 1)) {
    throw new WorkspaceError(`${path}: it has ${lines.length} lines; startLine is ${startLine}`);
  }
  if (endLine && endLine < startLine) {
    throw new WorkspaceError(`${path}: endLine ${endLine} is before startLine ${startLine}`);
  }
  const wanted = lines.slice(startLine - 1, endLine ?? undefined);
  const { given, isCut } = fitLines(wanted);
  return {
    path,
    content: given.join(""),
    size: bytes.length,
    digest,
    lines: lines.length,
    startLine,
    endLine: startLine + given.length - 1,
    ...(isCut && { truncated: true }),
  };
}

/**
 * @param {WorkspaceFiles} files
 * @param {{ query: string, path?: string, isRegex?: boolean, caseSensitive?: boolean, glob?: string | null,
 *   maxMatches?: number }} args
 * @param {AbortSignal} signal
 */
async function searchFiles(files, args, signal) {
  const { query, path = ".", glob, maxMatches = 100 } = args;
  const has = testOf(args);
  const isMeant = glob ? globMatcher(glob) : () => true;
  const walk = new Walk(files, signal);
  /** @type {{ path: string, line: number, text: string }[]} */
  const matches = [];
  let [total, found, chars] = [0, 0, 0];
  for await (const entry of filesBelow(walk, files, path)) {
    if (!isMeant(entry.path) || (entry.size ?? 0) > SEARCHED_BYTES) continue;
    const hits = await hitsOf(await linesOfFile(files, entry.path), has, walk);
    total += hits.length;
    found += hits.length ? 1 : 0;
    for (const { line, text } of hits) {
      chars += entry.path.length + text.length;
      if (matches.length === maxMatches || chars > CONTENT_CHARS) break;
      matches.push({ path: entry.path, line, text });
    }
  }
  const isCut = walk.isCut || matches.length < total;
  return { query, matches, files: found, total, ...(isCut && { truncated: true }) };
}

/**
 * The lines that pass a test, with their numbers, as far as time allows.
 * @param {string[]} lines
 * @param {(line: string) => boolean} has
 * @param {Walk} walk
 */
async function hitsOf(lines, has, walk) {
  const hits = [];
  for (const [n, text] of lines.entries()) {
    if (walk.isPauseDue()) await walk.pause();
    if (!walk.isInTime()) break;
    if (has(text)) hits.push({ line: n + 1, text: text.slice(0, LINE_CHARS) });
  }
  return hits;
}

/**
 * The files below a path, or the one that it names.
 * @param {Walk} walk
 * @param {WorkspaceFiles} files
 * @param {string} path
 */
async function* filesBelow(walk, files, path) {
  const parts = partsOf(path);
  const place = joinPath(parts);
  const isFolder = !parts.length || /\/\.?$/.test(path);
  const isFile = !isFolder && !(await files.list(place)) && (await files.read(place));
  if (isFile) {
    yield { path: place, type: "file", size: isFile.length };
    return;
  }
  for await (const entry of walk.below(place, path, DEEPEST))
    if (entry.type === "file") yield entry;
}

/**
 * The lines of a text file; none if it is unreadable, gone or no text.
 * @param {WorkspaceFiles} files
 * @param {string} place
 */
async function linesOfFile(files, place) {
  try {
    const bytes = await files.read(place);
    return bytes ? (await textFileOf(place, bytes)).text.split("\n") : [];
  } catch (error) {
    if (error instanceof WorkspaceError) return []; // unreadable: skipped
    throw error;
  }
}

/**
 * @param {{ query: string, isRegex?: boolean, caseSensitive?: boolean }} args
 * @returns {(line: string) => boolean}
 */
function testOf({ query, isRegex = false, caseSensitive = false }) {
  if (isRegex) {
    const matches = matcher(query, { ignoreCase: !caseSensitive });
    return (line) => matches(line.slice(0, LINE_CHARS));
  }
  if (caseSensitive) return (line) => line.includes(query);
  const folded = query.toLowerCase();
  return (line) => line.toLowerCase().includes(folded);
}

/** @param {string[]} parts */
function joinPath(parts) {
  return parts.join("/") || ".";
}

/**
 * The lines of a text with their ends.
 * @param {string} text
 */
function linesOf(text) {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/**
 * The first lines that fit into a result; a longer first line is cut.
 * @param {string[]} lines
 */
function fitLines(lines) {
  let chars = 0;
  for (const [count, line] of lines.entries()) {
    chars += JSON.stringify(line).length - 2;
    if (chars <= CONTENT_CHARS) continue;
    const cut = line.slice(0, CONTENT_CHARS / 6).replace(/[\ud800-\udbff]$/, "");
    return { given: count ? lines.slice(0, count) : [cut], isCut: true };
  }
  return { given: lines, isCut: false };
}
