/**
 * Convert an error of Firebase's SDKs; a `RollcallError` is returned unchanged.
 * @param {unknown} error
 * @returns {RollcallError}
 */
export function toRollcallError(error: unknown): RollcallError;
/**
 * Whether the connection failed, so that a retry may succeed. Refusals of the functions have details;
 * errors without them come from the network or a proxy.
 * @param {unknown} error
 */
export function isLost(error: unknown): boolean;
/** The error of this package, and the distinction of refusals from lost connections. */
/**
 * An error with a message for people and a code and details for programs.
 *
 * Codes are Firebase's ("not-found", "permission-denied", "resource-exhausted" ...). Created here are
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
