/**
 * Runs as they are stored in Firestore, to continue a lost stream or to follow a run of another tab.
 * Single reads go to the server: offline, Firestore would present its cache as complete.
 */

import { Channel } from "./channel.js";
import { RollcallError, toRollcallError } from "./errors.js";
import { translateErrors } from "./firestore.js";

/** @import { UserFirestore } from "./firestore.js" */
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
  #firestore;

  /** @param {UserFirestore} firestore */
  constructor(firestore) {
    this.#firestore = firestore;
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
    const { onSnapshot } = await this.#firestore.sdk();
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
    const { getDocsFromServer } = await this.#firestore.sdk();
    return (await getDocsFromServer(await this.#query(threadId, runId))).docs.flatMap(eventsOf);
  }

  /**
   * @param {string} threadId
   * @param {string} runId
   * @returns {Promise<RunState>}
   * @throws {RollcallError}
   */
  async state(threadId, runId) {
    const found = await this.#get("threads", threadId, "runs", runId);
    if (!found) throw new RollcallError("not-found", `there is no run ${runId} in this thread`);
    const { status, result, error, continuedBy } = found;
    return { status, error, continuedBy, ...(result && { result: JSON.parse(result) }) };
  }

  /**
   * What a thread waits for, if anything. In an app that watches the thread, Firestore answers with
   * the last snapshot, which may be slightly old.
   * @param {string} threadId
   * @returns {Promise<Waiting | undefined>}
   * @throws {RollcallError}
   */
  async waiting(threadId) {
    return (await this.#get("threads", threadId))?.waiting ?? undefined;
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
    const { updateDoc } = await this.#firestore.sdk();
    const thread = await this.#firestore.doc("threads", threadId);
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
    const { orderBy, query, where } = await this.#firestore.sdk();
    const events = await this.#firestore.collection("threads", threadId, "runs", runId, "events");
    return query(events, where("uid", "==", this.#firestore.user.uid), orderBy("n"));
  }

  /**
   * The fields of a document, read from the server.
   * @param {string} collection
   * @param {string[]} rest
   */
  async #get(collection, ...rest) {
    const { getDocFromServer } = await this.#firestore.sdk();
    const document = await this.#firestore.doc(collection, ...rest);
    return (await translateErrors(() => getDocFromServer(document))).data();
  }
}

/**
 * @param {{ data: () => any }} document
 * @returns {AgentEvent[]}
 */
function eventsOf(document) {
  return JSON.parse(document.data().events);
}
