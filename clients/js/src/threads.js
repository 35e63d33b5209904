/** A user's threads in Firestore. */

import { translateErrors } from "./firestore.js";
import { all, page, toEntry } from "./log.js";

/** @import { Query } from "firebase/firestore" */
/** @import { UserFirestore, WatchOptions } from "./firestore.js" */
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
  #firestore;
  #call;

  /**
   * @param {UserFirestore} firestore
   * @param {(name: string, data: object) => Promise<any>} call
   */
  constructor(firestore, call) {
    this.#firestore = firestore;
    this.#call = call;
  }

  /**
   * Watch the newest threads: the listener gets them now and whenever they change. Without `onError`,
   * an error that ends the watch is uncaught.
   * @param {(threads: Thread[]) => void} listener
   * @param {ThreadFilter & WatchOptions} [options]
   * @returns {() => void} Stops it.
   * @throws {RollcallError} Nobody is signed in, or there is no Firestore.
   */
  watch(listener, { onError, ...chosen } = {}) {
    return this.#firestore.listen(onError, async (_, failed) => {
      const { onSnapshot } = await this.#firestore.sdk();
      return [onSnapshot(await this.#query(chosen), ({ docs }) => listener(docs.map(toThread)), failed)];
    });
  }

  /**
   * The newest threads.
   * @param {ThreadFilter} [chosen]
   * @returns {Promise<Thread[]>}
   */
  async list(chosen = {}) {
    return (await this.#firestore.read(await this.#query(chosen))).map(toThread);
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
    const { updateDoc } = await this.#firestore.sdk();
    const thread = await this.#firestore.doc("threads", threadId);
    await translateErrors(() => updateDoc(thread, { ...fields }));
  }

  /**
   * @param {ThreadFilter} chosen
   * @returns {Promise<Query>}
   */
  async #query({ status, most = MAX_THREADS }) {
    const { limit, orderBy, query, where } = await this.#firestore.sdk();
    const chosen = status ? [where("status", "==", status)] : [];
    const threads = await this.#firestore.collection("threads");
    const mine = where("uid", "==", this.#firestore.user.uid);
    return query(threads, mine, ...chosen, orderBy("updatedAt", "desc"), limit(most));
  }

  /**
   * A reader of the thread's log.
   * @param {string} threadId
   * @returns {Promise<ReadEntries>}
   */
  async #log(threadId) {
    const { limit, orderBy, query, where } = await this.#firestore.sdk();
    const log = await this.#firestore.collection("threads", threadId, "messages");
    const mine = query(log, where("uid", "==", this.#firestore.user.uid), orderBy("n", "desc"));
    return async (before, most) => {
      const wanted = before === undefined ? mine : query(mine, where("n", "<", before));
      return (await this.#firestore.read(query(wanted, limit(most)))).map(toEntry);
    };
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
