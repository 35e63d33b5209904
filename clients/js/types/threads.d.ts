export class Threads {
    /**
     * @param {UserFirestore} firestore
     * @param {(name: string, data: object) => Promise<any>} call
     */
    constructor(firestore: UserFirestore, call: (name: string, data: object) => Promise<any>);
    /**
     * Watch the newest threads: the listener gets them now and whenever they change. Without `onError`,
     * an error that ends the watch is uncaught.
     * @param {(threads: Thread[]) => void} listener
     * @param {ThreadFilter & WatchOptions} [options]
     * @returns {() => void} Stops it.
     * @throws {RollcallError} Nobody is signed in, or there is no Firestore.
     */
    watch(listener: (threads: Thread[]) => void, { onError, ...chosen }?: ThreadFilter & WatchOptions): () => void;
    /**
     * The newest threads.
     * @param {ThreadFilter} [chosen]
     * @returns {Promise<Thread[]>}
     */
    list(chosen?: ThreadFilter): Promise<Thread[]>;
    /**
     * The last entries of a thread, oldest first, and `older`, the `before` of the page before them.
     * Replaced turns are left out by default. Offline, entries come from Firestore's cache.
     * @param {string} threadId
     * @param {{ limit?: number, before?: Place, withReplaced?: boolean }} [options] `limit` is 50
     *   by default, and at most 500.
     * @returns {Promise<Page>}
     * @throws {RollcallError}
     */
    messages(threadId: string, options?: {
        limit?: number;
        before?: Place;
        withReplaced?: boolean;
    }): Promise<Page>;
    /**
     * All entries of a thread, newest first, read in batches on demand.
     * @param {string} threadId
     * @param {{ withReplaced?: boolean }} [options]
     * @returns {AsyncGenerator<Entry, void, void>}
     * @throws {RollcallError}
     */
    allMessages(threadId: string, options?: {
        withReplaced?: boolean;
    }): AsyncGenerator<Entry, void, void>;
    /**
     * @param {string} threadId
     * @param {string} title At most 200 characters.
     */
    rename(threadId: string, title: string): Promise<void>;
    /** @param {string} threadId */
    archive(threadId: string): Promise<void>;
    /** @param {string} threadId */
    restore(threadId: string): Promise<void>;
    /**
     * Delete the messages of a thread, and keep the thread.
     * @param {string} threadId
     */
    clear(threadId: string): Promise<any>;
    /** @param {string} threadId */
    delete(threadId: string): Promise<any>;
    #private;
}
export type Thread = {
    id: string;
    agent: string;
    title: string | null;
    status: "active" | "archived";
    updatedAt: Date;
    /**
     * Whether it waits for a decision or for a client's tools.
     */
    waits: boolean;
};
export type ThreadFilter = {
    status?: Thread["status"];
    most?: number;
};
import type { WatchOptions } from "./firestore.js";
import type { Place } from "./log.js";
import type { Page } from "./log.js";
import type { Entry } from "./log.js";
import type { UserFirestore } from "./firestore.js";
