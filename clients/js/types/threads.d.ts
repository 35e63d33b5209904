export class Threads {
    /**
     * @param {Firestore | undefined} db
     * @param {Auth | undefined} auth
     * @param {(name: string, data: object) => Promise<any>} call
     * @param {Names} [names]
     */
    constructor(db: Firestore | undefined, auth: Auth | undefined, call: (name: string, data: object) => Promise<any>, names?: Names);
    /**
     * Be told of the newest threads, now and whenever they change. Without `onError`, an error that
     * ends it is uncaught.
     * @param {(threads: Thread[]) => void} listener
     * @param {Chosen & { onError?: (error: RollcallError) => void }} [options]
     * @returns {() => void} Stops it.
     * @throws {RollcallError} Nobody is signed in, or there is no Firestore.
     */
    watch(listener: (threads: Thread[]) => void, { onError, ...chosen }?: Chosen & {
        onError?: (error: RollcallError) => void;
    }): () => void;
    /**
     * The newest threads.
     * @param {Chosen} [chosen]
     * @returns {Promise<Thread[]>}
     */
    list(chosen?: Chosen): Promise<Thread[]>;
    /**
     * What was said last in a thread, oldest first, and `older`, the `before` of the page before this
     * one. What a later message took the place of is left out. Without a connection it is what
     * Firestore has kept.
     * @param {string} threadId
     * @param {{ limit?: number, before?: Place, withReplaced?: boolean }} [options] `limit` is 50 where
     *   it is left out, and 500 at most.
     * @returns {Promise<Page>}
     * @throws {RollcallError}
     */
    messages(threadId: string, options?: {
        limit?: number;
        before?: Place;
        withReplaced?: boolean;
    }): Promise<Page>;
    /**
     * All that was said in a thread, newest first, read as it is asked for.
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
     * Forget what was said, and keep the thread.
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
export type Chosen = {
    status?: Thread["status"];
    most?: number;
};
import { RollcallError } from "./errors.js";
import type { Place } from "./log.js";
import type { Page } from "./log.js";
import type { Entry } from "./log.js";
import type { Firestore } from "firebase/firestore";
import type { Auth } from "firebase/auth";
import { Names } from "./names.js";
