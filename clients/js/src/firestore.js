/** The app's Firestore as its signed-in user, and Firebase's SDK for it, loaded on first use. */

import { RollcallError, toRollcallError } from "./errors.js";
import { Names } from "./names.js";

/** @import { Auth } from "firebase/auth" */
/** @import { Firestore, Query } from "firebase/firestore" */

/** @typedef {{ onError?: (error: RollcallError) => void }} WatchOptions */

export class UserFirestore {
  #db;
  #auth;
  #names;

  /**
   * @param {Firestore | undefined} db
   * @param {Auth | undefined} auth
   * @param {Names} [names]
   */
  constructor(db, auth, names = new Names()) {
    this.#db = db;
    this.#auth = auth;
    this.#names = names;
  }

  /** @throws {RollcallError} The app gave no Firestore. */
  get db() {
    if (this.#db) return this.#db;
    const hint = "new Rollcall({ functions, firestore, auth })";
    throw new RollcallError("failed-precondition", "threads, approvals and runs are read from Firestore", { hint });
  }

  /** @throws {RollcallError} Nobody is signed in. */
  get user() {
    const user = this.#auth?.currentUser;
    if (!user) throw new RollcallError("unauthenticated", "nobody is signed in");
    return user;
  }

  /**
   * The SDK of the Firestore object. Two copies of the SDK reject each other's objects.
   * @returns {Promise<typeof import("firebase/firestore")>}
   * @throws {RollcallError} This package resolves to another copy.
   */
  async sdk() {
    const { db } = this;
    const sdk = await import("firebase/firestore");
    if (db.type === "firestore" && !(db instanceof sdk.Firestore)) {
      throw new RollcallError(
        "failed-precondition",
        "two copies of Firebase are loaded: the app's, and another beside @rollcall/client",
        { hint: "install the client with `npm install --install-links <path>`, so that it has none" },
      );
    }
    return sdk;
  }

  /**
   * One of Rollcall's own documents: names of collections and ids in turn.
   * @param {string} collection
   * @param {string[]} rest
   */
  async doc(collection, ...rest) {
    const { doc } = await this.sdk();
    return doc(this.db, ...this.#names.path(collection, ...rest));
  }

  /**
   * @param {string} name
   * @param {string[]} rest
   */
  async collection(name, ...rest) {
    const { collection } = await this.sdk();
    return collection(this.db, ...this.#names.path(name, ...rest));
  }

  /**
   * The documents of a query. Offline they are the cache's, and that it has none does not say that
   * there are none.
   * @param {Query} query
   * @throws {RollcallError}
   */
  async read(query) {
    const { getDocs } = await this.sdk();
    const { docs, metadata } = await translateErrors(() => getDocs(query));
    if (docs.length || !metadata.fromCache) return docs;
    throw new RollcallError("unavailable", "Firestore cannot be reached, and nothing of this was read before");
  }

  /**
   * Start listening once the SDK is loaded. Without `onError`, an error that ends it is uncaught.
   * @param {WatchOptions["onError"]} onError
   * @param {(signal: AbortSignal, failed: (error: unknown) => void) => Promise<(() => void)[]>} listen
   * @returns {() => void} Stops it.
   * @throws {RollcallError} Nobody is signed in, or there is no Firestore.
   */
  listen(onError, listen) {
    void this.db;
    void this.user;
    const stopping = new AbortController();
    const { signal } = stopping;
    const failed = (/** @type {unknown} */ error) => {
      if (signal.aborted) return;
      if (onError) onError(toRollcallError(error));
      else throw toRollcallError(error);
    };
    listen(signal, failed).then((stops) => {
      const stop = () => stops.forEach((each) => each());
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop);
    }, failed);
    return () => stopping.abort();
  }
}

/**
 * @template T
 * @param {() => Promise<T>} work
 * @throws {RollcallError}
 */
export async function translateErrors(work) {
  try {
    return await work();
  } catch (error) {
    throw toRollcallError(error);
  }
}
