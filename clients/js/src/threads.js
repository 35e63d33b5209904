/** A user's threads in Firestore. */

import { RollcallError, toRollcallError } from "./errors.js";
import { sdkOf } from "./firestore.js";
import { all, page, toEntry } from "./log.js";
import { Names } from "./names.js";

/** @import { Auth } from "firebase/auth" */
/** @import { Firestore, Query } from "firebase/firestore" */
/** @import { Entry, Page, Place, ReadEntries } from "./log.js" */

/**
 * @typedef {object} Thread
 * @property {string} id
 * @property {string} agent
 * @property {string | null} title
 * @property {"active" | "archived"} status
 * @property {Date} updatedAt
 * @property {boolean} waits Whether it waits for a decision or for a client's tools.
 */

/** @typedef {{ status?: Thread["status"], most?: number }} ThreadFilter */

const MAX_THREADS = 50;

export class Threads {
  #db;
  #auth;
  #call;
  #names;

  /**
   * @param {Firestore | undefined} db
   * @param {Auth | undefined} auth
   * @param {(name: string, data: object) => Promise<any>} call
   * @param {Names} [names]
   */
  constructor(db, auth, call, names = new Names()) {
    this.#db = db;
    this.#auth = auth;
    this.#call = call;
    this.#names = names;
  }

  /**
   * Watch the newest threads: the listener gets them now and whenever they change. Without `onError`,
   * an error that ends the watch is uncaught.
   * @param {(threads: Thread[]) => void} listener
   * @param {ThreadFilter & { onError?: (error: RollcallError) => void }} [options]
   * @returns {() => void} Stops it.
   * @throws {RollcallError} Nobody is signed in, or there is no Firestore.
   */
  watch(listener, { onError, ...chosen } = {}) {
    this.#database();
    this.#uid();
    const stopping = new AbortController();
    const failed = (/** @type {unknown} */ error) => {
      if (stopping.signal.aborted) return;
      if (onError) onError(toRollcallError(error));
      else throw toRollcallError(error);
    };
    const begin = async () => {
      const { onSnapshot } = await sdkOf(this.#database());
      const query = await this.#query(chosen);
      if (stopping.signal.aborted) return;
      const stop = onSnapshot(query, ({ docs }) => listener(docs.map(toThread)), failed);
      stopping.signal.addEventListener("abort", stop);
    };
    begin().catch(failed);
    return () => stopping.abort();
  }

  /**
   * The newest threads.
   * @param {ThreadFilter} [chosen]
   * @returns {Promise<Thread[]>}
   */
  async list(chosen = {}) {
    const { getDocs } = await sdkOf(this.#database());
    return translateErrors(async () => (await getDocs(await this.#query(chosen))).docs.map(toThread));
  }

  /**
   * The last entries of a thread, oldest first, and `older`, the `before` of the page before them.
   * Replaced turns are left out by default. Offline, entries come from Firestore's cache.
   * @param {string} threadId
   * @param {{ limit?: number, before?: Place, withReplaced?: boolean }} [options] `limit` is 50
   *   by default, and at most 500.
   * @returns {Promise<Page>}
   * @throws {RollcallError}
   */
  async messages(threadId, options) {
    return page(await this.#log(threadId), options);
  }

  /**
   * All entries of a thread, newest first, read in batches on demand.
   * @param {string} threadId
   * @param {{ withReplaced?: boolean }} [options]
   * @returns {AsyncGenerator<Entry, void, void>}
   * @throws {RollcallError}
   */
  async *allMessages(threadId, options) {
    yield* all(await this.#log(threadId), options);
  }

  /**
   * @param {string} threadId
   * @param {string} title At most 200 characters.
   */
  async rename(threadId, title) {
    await this.#update(threadId, { title });
  }

  /** @param {string} threadId */
  async archive(threadId) {
    await this.#update(threadId, { status: "archived" });
  }

  /** @param {string} threadId */
  async restore(threadId) {
    await this.#update(threadId, { status: "active" });
  }

  /**
   * Delete the messages of a thread, and keep the thread.
   * @param {string} threadId
   */
  async clear(threadId) {
    return this.#call("clear_thread", { threadId });
  }

  /** @param {string} threadId */
  async delete(threadId) {
    return this.#call("delete_thread", { threadId });
  }

  /**
   * @param {string} threadId
   * @param {object} fields
   */
  async #update(threadId, fields) {
    const { doc, updateDoc } = await sdkOf(this.#database());
    const path = this.#names.path("threads", threadId);
    await translateErrors(() => updateDoc(doc(this.#database(), ...path), { ...fields }));
  }

  /**
   * @param {ThreadFilter} chosen
   * @returns {Promise<Query>}
   */
  async #query({ status, most = MAX_THREADS }) {
    const { collection, limit, orderBy, query, where } = await sdkOf(this.#database());
    const chosen = status ? [where("status", "==", status)] : [];
    const threads = collection(this.#database(), ...this.#names.path("threads"));
    const mine = where("uid", "==", this.#uid());
    return query(threads, mine, ...chosen, orderBy("updatedAt", "desc"), limit(most));
  }

  /**
   * A reader of the thread's log.
   * @param {string} threadId
   * @returns {Promise<ReadEntries>}
   */
  async #log(threadId) {
    const { collection, getDocs, limit, orderBy, query, where } = await sdkOf(this.#database());
    const log = collection(this.#database(), ...this.#names.path("threads", threadId, "messages"));
    const mine = query(log, where("uid", "==", this.#uid()), orderBy("n", "desc"));
    return async (before, most) => {
      const wanted = before === undefined ? mine : query(mine, where("n", "<", before));
      return translateErrors(async () => (await getDocs(query(wanted, limit(most)))).docs.map(toEntry));
    };
  }

  #database() {
    if (this.#db) return this.#db;
    const hint = "new Rollcall({ functions, firestore, auth })";
    throw new RollcallError("failed-precondition", "threads are read from Firestore", { hint });
  }

  #uid() {
    const uid = this.#auth?.currentUser?.uid;
    if (!uid) throw new RollcallError("unauthenticated", "nobody is signed in");
    return uid;
  }
}

/**
 * @template T
 * @param {() => Promise<T>} work
 */
async function translateErrors(work) {
  try {
    return await work();
  } catch (error) {
    throw toRollcallError(error);
  }
}

/**
 * @param {{ id: string, data: () => any }} document
 * @returns {Thread}
 */
function toThread(document) {
  const { agent, title = null, status, updatedAt, waiting } = document.data();
  return { id: document.id, agent, title, status, updatedAt: updatedAt.toDate(), waits: !!waiting };
}
