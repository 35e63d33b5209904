export class Approvals {
    /** @param {UserFirestore} firestore */
    constructor(firestore: UserFirestore);
    /**
     * Watch all pending approvals: this user's, those of their role, and those that somebody else decides
     * for this user. The listener gets them newest first, now and whenever they change.
     * @param {(approvals: Approval[]) => void} listener
     * @param {WatchOptions} [options]
     * @returns {() => void} Stops it.
     * @throws {RollcallError} Nobody is signed in, or there is no Firestore.
     */
    watch(listener: (approvals: Approval[]) => void, { onError }?: WatchOptions): () => void;
    /**
     * Watch one approval: the listener gets it now and whenever it changes.
     * @param {string} id
     * @param {(approval: Approval) => void} listener
     * @param {WatchOptions} [options]
     * @returns {() => void} Stops it.
     */
    follow(id: string, listener: (approval: Approval) => void, { onError }?: WatchOptions): () => void;
    /**
     * Decide an approval. The first decision counts.
     * @param {string} id
     * @param {boolean} approved
     * @param {string} [reason] Told to the model; at most 500 characters.
     * @throws {RollcallError} "permission-denied": it is decided or expired, or has another decider.
     */
    decide(id: string, approved: boolean, reason?: string): Promise<void>;
    #private;
}
/**
 * An approval. `arguments` are those that may be shown. `mayDecide` says whether this user is its
 * decider; the others are calls of this user that somebody else decides.
 */
export type Approval = {
    id: string;
    /**
     * Who asked.
     */
    uid: string;
    threadId: string;
    /**
     * The run that waits.
     */
    runId: string;
    agent: string;
    callId: string;
    tool: string;
    /**
     * What would happen, in one line.
     */
    summary: string;
    /**
     * Summary and
     * display in other languages; a display that is null there is in the first language alone.
     */
    translations: Record<string, {
        summary: string;
        display: Display | null;
    }>;
    arguments: Record<string, any>;
    display: Display | null;
    /**
     * Whether summary and display show every character of the arguments.
     */
    complete: boolean;
    /**
     * Patterns of which an approval through `run_agent` may name one.
     */
    remember: string[];
    deciderRole: string | null;
    mayDecide: boolean;
    status: "pending" | "approved" | "rejected" | "expired" | "replaced";
    decision: {
        approved: boolean;
        by: string;
        at: Date;
        reason?: string;
    } | null;
    /**
     * The approval that was made of it with other arguments.
     */
    replacedBy: string | null;
    createdAt: Date;
    expiresAt: Date;
};
import type { WatchOptions } from "./firestore.js";
import type { UserFirestore } from "./firestore.js";
import type { Display } from "../types/wire.js";
