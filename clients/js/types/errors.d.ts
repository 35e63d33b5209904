/**
 * Any error of Firebase's SDKs as a RollcallError; one that is one already stays as it is.
 * @param {unknown} error
 * @returns {RollcallError}
 */
export function toRollcallError(error: unknown): RollcallError;
/**
 * Whether a call failed on the way, so that the same call again may succeed. The functions say of
 * each refusal why, in its details; what has none was said by the network or by what lies between.
 * @param {unknown} error
 */
export function isLost(error: unknown): boolean;
/** What can go wrong, as one error with a code; and telling a refusal from a lost connection. */
/**
 * An error with a message for a person and the rest for a program.
 *
 * Codes are Firebase's ("not-found", "permission-denied", "resource-exhausted" ...). Made here are
 * "unavailable" (the server cannot be reached; the run itself goes on), "cancelled" (a run that was
 * left or stopped), "invalid-argument" and "failed-precondition".
 */
export class RollcallError extends Error {
    /**
     * @param {string} code
     * @param {string} message
     * @param {object} [more]
     * @param {string} [more.field] The input at fault, as in "arguments.limit".
     * @param {string} [more.hint] What to do about it.
     * @param {number} [more.retryAfterS] Seconds to wait before it is worth trying again.
     * @param {unknown} [more.cause]
     */
    constructor(code: string, message: string, { field, hint, retryAfterS, cause }?: {
        field?: string | undefined;
        hint?: string | undefined;
        retryAfterS?: number | undefined;
        cause?: unknown;
    });
    code: string;
    field: string | undefined;
    hint: string | undefined;
    retryAfterS: number | undefined;
}
