/**
 * One page. It reads one entry more than it has, to tell whether there are others, and those that
 * it passes over because they were replaced.
 * @param {Read} read
 * @param {{ limit?: number, before?: Place, withReplaced?: boolean }} [options]
 * @returns {Promise<Page>}
 * @throws {RollcallError}
 */
export function page(read: Read, { limit, before, withReplaced }?: {
    limit?: number;
    before?: Place;
    withReplaced?: boolean;
}): Promise<Page>;
/**
 * All of the log, newest first.
 * @param {Read} read
 * @param {{ withReplaced?: boolean }} [options]
 * @returns {AsyncGenerator<Entry, void, void>}
 */
export function all(read: Read, { withReplaced }?: {
    withReplaced?: boolean;
}): AsyncGenerator<Entry, void, void>;
/**
 * An entry as it is stored.
 * @param {{ data: () => any }} document
 * @returns {Entry}
 */
export function toEntry(document: {
    data: () => any;
}): Entry;
/**
 * What stands in a thread's log: a user's message, or a model's reply with the tools it called.
 * `replaces` names the turn in whose place a message was asked.
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
 * A place in the log: before the entry `n`. `replaced` is the turn that was named last as one whose
 * place another has taken.
 */
export type Place = {
    n: number;
    replaced?: string;
};
/**
 * Some of the log, oldest first. `older` is the `before` of the next page; there is none where the
 * log begins.
 */
export type Page = {
    entries: Entry[];
    older?: Place;
};
/**
 * Reads so many entries before a number, or the newest, newest first.
 */
export type Read = (before: number | undefined, most: number) => Promise<Entry[]>;
import type { MediaPart } from "../types/wire.js";
import type { TextPart } from "../types/wire.js";
