/**
 * Runs as they are stored in Firestore, to continue a lost stream or to follow a run of another tab.
 * Single reads go to the server: offline, Firestore would present its cache as complete.
 */

import { Channel } from "./channel.js";
import { RollcallError, toRollcallError } from "./errors.js";
import { sdkOf } from "./firestore.js";
import { Names } from "./names.js";

/** @import { Auth } from "firebase/auth" */
/** @import { Firestore } from "firebase/firestore" */
/** @import { AgentEvent } from "./events.js" */
/** @import { RunResult } from "../types/wire.js" */

/**
 * What a thread waits for: the calls and decisions of a run. `isAnswered` and `isLate` are about the
 * calls alone. `takenBy` says which client runs them.
 * @typedef {{ runId: string, isAnswered?: boolean, isLate?: boolean,
 *   takenBy?: { runId: string, place: string } }} Waiting
 */

/**
 * The state of a run. `continuedBy` is the run that continued the turn.
 * @typedef {{ status: "running" | "done" | "failed" | "cancelled", result?: RunResult,
 *   error?: { code?: string, message?: string, hint?: string }, continuedBy?: string }} RunState
 */

export class RunStore {
  #db;
  #auth;
  #names;

  /**
   * @param {Firestore} db
   * @param {Auth} auth
   * @param {Names} [names]
   */
  constructor(db, auth, names = new Names()) {
    this.#db = db;
    this.#auth = auth;
    this.#names = names;
  }

  /**
   * The events of a run from the first, as they are stored, until the signal is aborted.
   * @param {string} threadId
   * @param {string} runId
   * @param {AbortSignal} signal
   * @returns {AsyncGenerator<AgentEvent, void, void>}
   * @throws {RollcallError}
   */
  async *follow(threadId, runId, signal) {
    const { onSnapshot } = await sdkOf(this.#db);
    /** @type {Channel<AgentEvent>} */
    const events = new Channel();
    const stop = onSnapshot(
      await this.#query(threadId, runId),
      (snapshot) => {
        for (const { type, doc } of snapshot.docChanges()) {
          if (type === "added") for (const event of eventsOf(doc)) events.push(event);
        }
      },
      (error) => events.fail(toRollcallError(error)),
    );
    const close = () => events.close();
    signal.addEventListener("abort", close);
    if (signal.aborted) close();
    try {
      yield* events;
    } finally {
      signal.removeEventListener("abort", close);
      stop();
    }
  }

  /**
   * The events stored so far.
   * @param {string} threadId
   * @param {string} runId
   * @returns {Promise<AgentEvent[]>}
   */
  async events(threadId, runId) {
    const { getDocsFromServer } = await sdkOf(this.#db);
    return (await getDocsFromServer(await this.#query(threadId, runId))).docs.flatMap(eventsOf);
  }

  /**
   * @param {string} threadId
   * @param {string} runId
   * @returns {Promise<RunState>}
   * @throws {RollcallError}
   */
  async state(threadId, runId) {
    const { doc, getDocFromServer } = await sdkOf(this.#db);
    try {
      const run = doc(this.#db, ...this.#names.path("threads", threadId, "runs", runId));
      const found = (await getDocFromServer(run)).data();
      if (!found) throw new RollcallError("not-found", `there is no run ${runId} in this thread`);
      const { status, result, error, continuedBy } = found;
      return { status, error, continuedBy, ...(result && { result: JSON.parse(result) }) };
    } catch (error) {
      throw toRollcallError(error);
    }
  }

  /**
   * What a thread waits for, if anything. In an app that watches the thread, Firestore answers with
   * the last snapshot, which may be slightly old.
   * @param {string} threadId
   * @returns {Promise<Waiting | undefined>}
   * @throws {RollcallError}
   */
  async waiting(threadId) {
    const { doc, getDocFromServer } = await sdkOf(this.#db);
    try {
      const thread = doc(this.#db, ...this.#names.path("threads", threadId));
      return (await getDocFromServer(thread)).data()?.waiting ?? undefined;
    } catch (error) {
      throw toRollcallError(error);
    }
  }

  /**
   * Claim the pending calls of a run before running them. The rules let one client do so.
   * @param {string} threadId
   * @param {string} runId
   * @param {string} place
   * @returns {Promise<boolean>} False if another client has claimed them, or nothing waits any more.
   * @throws {RollcallError}
   */
  async take(threadId, runId, place) {
    const { doc, updateDoc } = await sdkOf(this.#db);
    const thread = doc(this.#db, ...this.#names.path("threads", threadId));
    try {
      await updateDoc(thread, { "waiting.takenBy": { runId, place } });
      return true;
    } catch (error) {
      const refusal = toRollcallError(error);
      if (refusal.code === "permission-denied") return false;
      throw refusal;
    }
  }

  /**
   * @param {string} threadId
   * @param {string} runId
   */
  async #query(threadId, runId) {
    const { collection, orderBy, query, where } = await sdkOf(this.#db);
    const path = this.#names.path("threads", threadId, "runs", runId, "events");
    return query(collection(this.#db, ...path), where("uid", "==", this.#uid()), orderBy("n"));
  }

  #uid() {
    const uid = this.#auth.currentUser?.uid;
    if (!uid) throw new RollcallError("unauthenticated", "nobody is signed in");
    return uid;
  }
}

/**
 * @param {{ data: () => any }} document
 * @returns {AgentEvent[]}
 */
function eventsOf(document) {
  return JSON.parse(document.data().events);
}
