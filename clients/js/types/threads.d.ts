export class Threads {
    /**
     * @param {Firestore | undefined} db
     * @param {Auth | undefined} auth
     * @param {(name: string, data: object) => Promise<any>} call
     */
    constructor(db: Firestore | undefined, auth: Auth | undefined, call: (name: string, data: object) => Promise<any>);
    /**
     * Be told of the newest threads, now and whenever they change.
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
     * What was said in a thread, oldest first. What a later message took the place of is left out.
     * @param {string} threadId
     * @param {{ withReplaced?: boolean }} [options]
     * @returns {Promise<Entry[]>}
     */
    messages(threadId: string, { withReplaced }?: {
        withReplaced?: boolean;
    }): Promise<Entry[]>;
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
    parts?: any[] | undefined;
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
export type Chosen = {
    status?: Thread["status"];
    most?: number;
};
import { RollcallError } from "./errors.js";
import type { Firestore } from "firebase/firestore";
import type { Auth } from "firebase/auth";
