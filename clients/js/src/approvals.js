/** A user's approvals in Firestore: watching and deciding them. */

import { RollcallError, toRollcallError } from "./errors.js";
import { sdkOf } from "./firestore.js";
import { Names } from "./names.js";

/** @import { Auth } from "firebase/auth" */
/** @import { Firestore } from "firebase/firestore" */
/** @import { Display } from "../types/wire.js" */

/**
 * An approval. `arguments` are those that may be shown. `mayDecide` says whether this user is its
 * decider; the others are calls of this user that somebody else decides.
 * @typedef {object} Approval
 * @property {string} id
 * @property {string} uid Who asked.
 * @property {string} threadId
 * @property {string} runId The run that waits.
 * @property {string} agent
 * @property {string} callId
 * @property {string} tool
 * @property {string} summary What would happen, in one line.
 * @property {Record<string, { summary: string, display: Display | null }>} translations Summary and
 *   display in other languages; a display that is null there is in the first language alone.
 * @property {Record<string, any>} arguments
 * @property {Display | null} display
 * @property {boolean} complete Whether summary and display show every character of the arguments.
 * @property {string[]} remember Patterns of which an approval through `run_agent` may name one.
 * @property {string | null} deciderRole
 * @property {boolean} mayDecide
 * @property {"pending" | "approved" | "rejected" | "expired" | "replaced"} status
 * @property {{ approved: boolean, by: string, at: Date, reason?: string } | null} decision
 * @property {string | null} replacedBy The approval that was made of it with other arguments.
 * @property {Date} createdAt
 * @property {Date} expiresAt
 */

/** @typedef {{ onError?: (error: RollcallError) => void }} WatchOptions */

const MAX_APPROVALS = 50;

export class Approvals {
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

  /**
   * Watch all pending approvals: this user's, those of their role, and those that somebody else decides
   * for this user. The listener gets them newest first, now and whenever they change.
   * @param {(approvals: Approval[]) => void} listener
   * @param {WatchOptions} [options]
   * @returns {() => void} Stops it.
   * @throws {RollcallError} Nobody is signed in, or there is no Firestore.
   */
  watch(listener, { onError } = {}) {
    const db = this.#database();
    const user = this.#user();
    return startListening(onError, async (signal, failed) => {
      const { collection, limit, onSnapshot, orderBy, query, where } = await sdkOf(db);
      const { role = "user", tenant = null } = (await user.getIdTokenResult()).claims;
      const ways = [
        [where("deciderUid", "==", user.uid)],
        [where("deciderRoles", "array-contains", role), where("tenant", "==", tenant)],
        [where("uid", "==", user.uid)],
      ];
      const from = collection(db, ...this.#names.path("approvals"));
      /** @type {Map<string, Approval>[]} */
      const found = [];
      return ways.map((ways, at) => {
        const rest = [where("status", "==", "pending"), orderBy("createdAt", "desc"), limit(MAX_APPROVALS)];
        const told = (/** @type {{ docs: any[] }} */ { docs }) => {
          if (signal.aborted) return;
          const approvals = docs.map((document) => toApproval(document, user.uid));
          found[at] = new Map(approvals.map((each) => [each.id, each]));
          if (found.filter(Boolean).length < 3) return;
          const all = new Map(found.flatMap((each) => [...each]));
          listener([...all.values()].sort((a, b) => Number(b.createdAt) - Number(a.createdAt)));
        };
        return onSnapshot(query(from, ...ways, ...rest), told, failed);
      });
    });
  }

  /**
   * Watch one approval: the listener gets it now and whenever it changes.
   * @param {string} id
   * @param {(approval: Approval) => void} listener
   * @param {WatchOptions} [options]
   * @returns {() => void} Stops it.
   */
  follow(id, listener, { onError } = {}) {
    const db = this.#database();
    const { uid } = this.#user();
    return startListening(onError, async (_, failed) => {
      const { doc, onSnapshot } = await sdkOf(db);
      const told = (/** @type {any} */ document) =>
        document.exists() && listener(toApproval(document, uid));
      return [onSnapshot(doc(db, ...this.#names.path("approvals", id)), told, failed)];
    });
  }

  /**
   * Decide an approval. The first decision counts.
   * @param {string} id
   * @param {boolean} approved
   * @param {string} [reason] Told to the model; at most 500 characters.
   * @throws {RollcallError} "permission-denied": it is decided or expired, or has another decider.
   */
  async decide(id, approved, reason) {
    const db = this.#database();
    const { uid } = this.#user();
    const { doc, runTransaction, serverTimestamp } = await sdkOf(db);
    const decision = { approved, by: uid, at: serverTimestamp(), ...(reason && { reason }) };
    try {
      // A transaction fails where the server is not reached: a decision never waits to be sent later.
      await runTransaction(db, async (transaction) => {
        const approval = doc(db, ...this.#names.path("approvals", id));
        await transaction.get(approval);
        transaction.update(approval, { decision });
      });
    } catch (error) {
      throw toRollcallError(error);
    }
  }

  #database() {
    if (this.#db) return this.#db;
    const hint = "new Rollcall({ functions, firestore, auth })";
    throw new RollcallError("failed-precondition", "approvals are read from Firestore", { hint });
  }

  #user() {
    const user = this.#auth?.currentUser;
    if (!user) throw new RollcallError("unauthenticated", "nobody is signed in");
    return user;
  }
}

/**
 * Start listening once the SDK is loaded.
 * @param {WatchOptions["onError"]} onError
 * @param {(signal: AbortSignal, failed: (error: unknown) => void) => Promise<(() => void)[]>} listen
 * @returns {() => void}
 */
function startListening(onError, listen) {
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

/**
 * @param {{ id: string, data: (options: { serverTimestamps: "estimate" }) => any }} document
 * @param {string} uid
 * @returns {Approval}
 */
function toApproval(document, uid) {
  const data = document.data({ serverTimestamps: "estimate" });
  const { display, decision, deciderUid, deciderRole, argumentsShown } = data;
  return {
    id: document.id,
    uid: data.uid,
    threadId: data.threadId,
    runId: data.runId,
    agent: data.agent,
    callId: data.callId,
    tool: data.tool,
    summary: data.summary,
    translations: JSON.parse(data.translations ?? "{}"),
    arguments: JSON.parse(argumentsShown),
    display: display ? JSON.parse(display) : null,
    complete: !!data.complete,
    remember: data.remember ?? [],
    deciderRole: deciderRole ?? null,
    // The requester never decides by role; query or rules have checked the role of others.
    mayDecide: deciderUid ? deciderUid === uid : data.uid !== uid,
    status: data.status,
    decision: decision ? { ...decision, at: decision.at?.toDate() ?? new Date() } : null,
    replacedBy: data.replacedBy ?? null,
    createdAt: data.createdAt.toDate(),
    expiresAt: data.expiresAt.toDate(),
  };
}
