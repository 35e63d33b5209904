/**
 * @template T
 * @param {() => Promise<T>} work
 * @throws {RollcallError}
 */
export function translateErrors<T>(work: () => Promise<T>): Promise<T>;
/** @import { Auth } from "firebase/auth" */
/** @import { Firestore, Query } from "firebase/firestore" */
/** @typedef {{ onError?: (error: RollcallError) => void }} WatchOptions */
export class UserFirestore {
    /**
     * @param {Firestore | undefined} db
     * @param {Auth | undefined} auth
     * @param {Names} [names]
     */
    constructor(db: Firestore | undefined, auth: Auth | undefined, names?: Names);
    /** @throws {RollcallError} The app gave no Firestore. */
    get db(): Firestore;
    /** @throws {RollcallError} Nobody is signed in. */
    get user(): import("@firebase/auth").User;
    /**
     * The SDK of the Firestore object. Two copies of the SDK reject each other's objects.
     * @returns {Promise<typeof import("firebase/firestore")>}
     * @throws {RollcallError} This package resolves to another copy.
     */
    sdk(): Promise<typeof import("firebase/firestore")>;
    /**
     * One of Rollcall's own documents: names of collections and ids in turn.
     * @param {string} collection
     * @param {string[]} rest
     */
    doc(collection: string, ...rest: string[]): Promise<import("@firebase/firestore").DocumentReference<import("@firebase/firestore").DocumentData, import("@firebase/firestore").DocumentData>>;
    /**
     * @param {string} name
     * @param {string[]} rest
     */
    collection(name: string, ...rest: string[]): Promise<import("@firebase/firestore").CollectionReference<import("@firebase/firestore").DocumentData, import("@firebase/firestore").DocumentData>>;
    /**
     * The documents of a query. Offline they are the cache's, and that it has none does not say that
     * there are none.
     * @param {Query} query
     * @throws {RollcallError}
     */
    read(query: Query): Promise<import("@firebase/firestore").QueryDocumentSnapshot<import("@firebase/firestore").DocumentData, import("@firebase/firestore").DocumentData>[]>;
    /**
     * Start listening once the SDK is loaded. Without `onError`, an error that ends it is uncaught.
     * @param {WatchOptions["onError"]} onError
     * @param {(signal: AbortSignal, failed: (error: unknown) => void) => Promise<(() => void)[]>} listen
     * @returns {() => void} Stops it.
     * @throws {RollcallError} Nobody is signed in, or there is no Firestore.
     */
    listen(onError: WatchOptions["onError"], listen: (signal: AbortSignal, failed: (error: unknown) => void) => Promise<(() => void)[]>): () => void;
    #private;
}
export type WatchOptions = {
    onError?: (error: RollcallError) => void;
};
import type { Firestore } from "firebase/firestore";
import type { Query } from "firebase/firestore";
import type { Auth } from "firebase/auth";
import { Names } from "./names.js";
import { RollcallError } from "./errors.js";
