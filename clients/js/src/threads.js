/** A user's threads, as they rest in Firestore. */

import { RollcallError, toRollcallError } from "./errors.js";

/** @import { Auth } from "firebase/auth" */
/** @import { Firestore, Query } from "firebase/firestore" */

/**
 * @typedef {object} Thread
 * @property {string} id
 * @property {string} agent
 * @property {string | null} title
 * @property {"active" | "archived"} status
 * @property {Date} updatedAt
 * @property {boolean} waits Whether it waits for a decision or for a client's tools.
 */

/**
 * What stands in a thread's log: a user's message, or a model's reply with the tools it called.
 * `replaces` names the turn in whose place a message was asked.
 * @typedef {object} Entry
 * @property {number} n
 * @property {string} turnId
 * @property {string} runId
 * @property {"user" | "model"} role
 * @property {string} text
 * @property {any[]} [parts] A user's: texts and attachments.
 * @property {{ id: string, tool: string, arguments: any }[]} [calls] A model's.
 * @property {string} [replaces]
 * @property {Date} createdAt
 */

/** @typedef {{ status?: Thread["status"], most?: number }} Chosen */

const MOST = 50;

export class Threads {
  #db;
  #auth;
  #call;

  /**
   * @param {Firestore | undefined} db
   * @param {Auth | undefined} auth
   * @param {(name: string, data: object) => Promise<any>} call
   */
  constructor(db, auth, call) {
    this.#db = db;
    this.#auth = auth;
    this.#call = call;
  }

  /**
   * Be told of the newest threads, now and whenever they change.
   * @param {(threads: Thread[]) => void} listener
   * @param {Chosen & { onError?: (error: RollcallError) => void }} [options]
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
      const { onSnapshot } = await import("firebase/firestore");
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
   * @param {Chosen} [chosen]
   * @returns {Promise<Thread[]>}
   */
  async list(chosen = {}) {
    const { getDocs } = await import("firebase/firestore");
    return told(async () => (await getDocs(await this.#query(chosen))).docs.map(toThread));
  }

  /**
   * What was said in a thread, oldest first. What a later message took the place of is left out.
   * @param {string} threadId
   * @param {{ withReplaced?: boolean }} [options]
   * @returns {Promise<Entry[]>}
   */
  async messages(threadId, { withReplaced = false } = {}) {
    const { collection, getDocs, orderBy, query, where } = await import("firebase/firestore");
    const log = collection(this.#database(), "threads", threadId, "messages");
    const mine = query(log, where("uid", "==", this.#uid()), orderBy("n"));
    const entries = await told(async () => (await getDocs(mine)).docs.map(toEntry));
    const replaced = new Set(withReplaced ? [] : entries.map((entry) => entry.replaces));
    return entries.filter((entry) => !replaced.has(entry.turnId));
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
   * Forget what was said, and keep the thread.
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
    const { doc, updateDoc } = await import("firebase/firestore");
    await told(() => updateDoc(doc(this.#database(), "threads", threadId), { ...fields }));
  }

  /**
   * @param {Chosen} chosen
   * @returns {Promise<Query>}
   */
  async #query({ status, most = MOST }) {
    const { collection, limit, orderBy, query, where } = await import("firebase/firestore");
    const chosen = status ? [where("status", "==", status)] : [];
    const threads = collection(this.#database(), "threads");
    const mine = where("uid", "==", this.#uid());
    return query(threads, mine, ...chosen, orderBy("updatedAt", "desc"), limit(most));
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
async function told(work) {
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

/**
 * @param {{ data: () => any }} document
 * @returns {Entry}
 */
function toEntry(document) {
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
