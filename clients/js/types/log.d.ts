/**
 * Read one page. This reads one entry more, to know whether there are others, and the replaced ones
 * that it skips.
 * @param {ReadEntries} read
 * @param {{ limit?: number, before?: Place, withReplaced?: boolean }} [options]
 * @returns {Promise<Page>}
 * @throws {RollcallError}
 */
export function page(read: ReadEntries, { limit, before, withReplaced }?: {
    limit?: number;
    before?: Place;
    withReplaced?: boolean;
}): Promise<Page>;
/**
 * Read the whole log, newest entry first.
 * @param {ReadEntries} read
 * @param {{ withReplaced?: boolean }} [options]
 * @returns {AsyncGenerator<Entry, void, void>}
 */
export function all(read: ReadEntries, { withReplaced }?: {
    withReplaced?: boolean;
}): AsyncGenerator<Entry, void, void>;
/**
 * The entry of a stored document.
 * @param {{ data: () => any }} document
 * @returns {Entry}
 */
export function toEntry(document: {
    data: () => any;
}): Entry;
/**
 * An entry of a thread's log: a user's message, or a model's reply with its tool calls. `replaces` is
 * the turn that a message replaced.
 */
export type Entry = {
    n: number;
    turnId: string;
    runId: string;
    role: "user" | "model";
    text: string;
    /**
     * A user's: texts and attachments.
     */
    parts?: (MediaPart | TextPart)[] | undefined;
    /**
     * A model's.
     */
    calls?: {
        id: string;
        tool: string;
        arguments: any;
    }[] | undefined;
    replaces?: string | undefined;
    createdAt: Date;
};
/**
 * A position in the log: before the entry `n`. `replaced` is the turn that the last message replaced.
 */
export type Place = {
    n: number;
    replaced?: string;
};
/**
 * A page of the log, oldest entry first. `older` is the `before` of the next page, if there is one.
 */
export type Page = {
    entries: Entry[];
    older?: Place;
};
/**
 * Reads up to `most` entries before a number, or the newest ones; newest first.
 */
export type ReadEntries = (before: number | undefined, most: number) => Promise<Entry[]>;
import type { MediaPart } from "../types/wire.js";
import type { TextPart } from "../types/wire.js";
