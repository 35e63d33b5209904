/** Reads a thread's log from the newest entry backwards: by pages, or all of it. */

import { RollcallError } from "./errors.js";

/** @import { MediaPart, TextPart } from "../types/wire.js" */

/**
 * An entry of a thread's log: a user's message, or a model's reply with its tool calls. `replaces` is
 * the turn that a message replaced.
 * @typedef {object} Entry
 * @property {number} n
 * @property {string} turnId
 * @property {string} runId
 * @property {"user" | "model"} role
 * @property {string} text
 * @property {(TextPart | MediaPart)[]} [parts] A user's: texts and attachments.
 * @property {{ id: string, tool: string, arguments: any }[]} [calls] A model's.
 * @property {string} [replaces]
 * @property {Date} createdAt
 */

/**
 * A position in the log: before the entry `n`. `replaced` is the turn that the last message replaced.
 * @typedef {{ n: number, replaced?: string }} Place
 */

/**
 * A page of the log, oldest entry first. `older` is the `before` of the next page, if there is one.
 * @typedef {{ entries: Entry[], older?: Place }} Page
 */

/**
 * Reads up to `most` entries before a number, or the newest ones; newest first.
 * @typedef {(before: number | undefined, most: number) => Promise<Entry[]>} ReadEntries
 */

const PAGE = 50;
const MAX_OF_A_PAGE = 500;
/** The batch size of reading the whole log. */
const AT_ONCE = 200;

/**
 * Read one page. This reads one entry more, to know whether there are others, and the replaced ones
 * that it skips.
 * @param {ReadEntries} read
 * @param {{ limit?: number, before?: Place, withReplaced?: boolean }} [options]
 * @returns {Promise<Page>}
 * @throws {RollcallError}
 */
export async function page(read, { limit = PAGE, before, withReplaced = false } = {}) {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_OF_A_PAGE) {
    const message = `limit must be a whole number from 1 to ${MAX_OF_A_PAGE}, not ${limit}`;
    throw new RollcallError("invalid-argument", message, { field: "limit" });
  }
  /** @type {Entry[]} */
  const entries = [];
  /** @type {Place | undefined} */
  let older;
  for await (const found of backwards(read, { before, atOnce: limit + 1, withReplaced })) {
    if (entries.length === limit) return { entries: entries.toReversed(), older };
    entries.push(found.entry);
    older = found.place;
  }
  return { entries: entries.toReversed() };
}

/**
 * Read the whole log, newest entry first.
 * @param {ReadEntries} read
 * @param {{ withReplaced?: boolean }} [options]
 * @returns {AsyncGenerator<Entry, void, void>}
 */
export async function* all(read, { withReplaced = false } = {}) {
  for await (const { entry } of backwards(read, { atOnce: AT_ONCE, withReplaced })) yield entry;
}

/**
 * The entries before a position, newest first, each with its own. Only the newest turn can be
 * replaced, so its entries come right before the message that replaces it.
 * @param {ReadEntries} read
 * @param {{ before?: Place, atOnce: number, withReplaced: boolean }} options
 * @returns {AsyncGenerator<{ entry: Entry, place: Place }, void, void>}
 */
async function* backwards(read, { before, atOnce, withReplaced }) {
  let { n, replaced } = /** @type {Partial<Place>} */ (before ?? {});
  for (;;) {
    const entries = await read(n, atOnce);
    for (const entry of entries) {
      const isReplaced = entry.turnId === replaced;
      if (entry.replaces) replaced = entry.replaces;
      n = entry.n;
      if (isReplaced && !withReplaced) continue;
      yield { entry, place: { n, ...(replaced && { replaced }) } };
    }
    if (entries.length < atOnce) return;
  }
}

/**
 * The entry of a stored document.
 * @param {{ data: () => any }} document
 * @returns {Entry}
 */
export function toEntry(document) {
  const { n, turnId, runId, role, createdAt, replaces, ...said } = document.data();
  const about = { n, turnId, runId, createdAt: createdAt.toDate(), ...(replaces && { replaces }) };
  if (role === "user") {
    const texts = said.parts.filter((/** @type {any} */ part) => part.type === "text");
    const text = texts.map((/** @type {any} */ part) => part.text).join("\n");
    return { ...about, role: "user", text, parts: said.parts };
  }
  const calls = said.toolCalls.map((/** @type {any} */ call) => ({
    id: call.id,
    tool: call.name,
    arguments: call.arguments === null ? call.argumentsText : JSON.parse(call.arguments),
  }));
  return { ...about, role: "model", text: said.text, ...(calls.length && { calls }) };
}
