/** A user's approvals in Firestore: watching and deciding them. */

import { translateErrors } from "./firestore.js";

/** @import { UserFirestore, WatchOptions } from "./firestore.js" */
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

const MAX_APPROVALS = 50;

export class Approvals {
  #firestore;

  /** @param {UserFirestore} firestore */
  constructor(firestore) {
    this.#firestore = firestore;
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
    return this.#firestore.listen(onError, async (signal, failed) => {
      const { user } = this.#firestore;
      const { limit, onSnapshot, orderBy, query, where } = await this.#firestore.sdk();
      const { role = "user", tenant = null } = (await user.getIdTokenResult()).claims;
      const ways = [
        [where("deciderUid", "==", user.uid)],
        [where("deciderRoles", "array-contains", role), where("tenant", "==", tenant)],
        [where("uid", "==", user.uid)],
      ];
      const from = await this.#firestore.collection("approvals");
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
    return this.#firestore.listen(onError, async (_, failed) => {
      const { uid } = this.#firestore.user;
      const { onSnapshot } = await this.#firestore.sdk();
      const told = (/** @type {any} */ document) =>
        document.exists() && listener(toApproval(document, uid));
      return [onSnapshot(await this.#firestore.doc("approvals", id), told, failed)];
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
    const { db, user } = this.#firestore;
    const { runTransaction, serverTimestamp } = await this.#firestore.sdk();
    const approval = await this.#firestore.doc("approvals", id);
    const decision = { approved, by: user.uid, at: serverTimestamp(), ...(reason && { reason }) };
    // A transaction fails where the server is not reached: a decision never waits to be sent later.
    const write = runTransaction(db, async (transaction) => {
      await transaction.get(approval);
      transaction.update(approval, { decision });
    });
    await translateErrors(() => write);
  }
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
