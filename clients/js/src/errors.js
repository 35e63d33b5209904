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
  constructor(code, message, { field, hint, retryAfterS, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "RollcallError";
    this.code = code;
    this.field = field;
    this.hint = hint;
    this.retryAfterS = retryAfterS;
  }
}

/**
 * Any error of Firebase's SDKs as a RollcallError; one that is one already stays as it is.
 * @param {unknown} error
 * @returns {RollcallError}
 */
export function toRollcallError(error) {
  if (error instanceof RollcallError) return error;
  const { code, message, details } = /** @type {any} */ (error ?? {});
  const told = typeof details === "object" && details !== null ? details : {};
  if (typeof code !== "string") {
    return new RollcallError("internal", String(message ?? error), { cause: error });
  }
  return new RollcallError(
    typeof told.code === "string" ? told.code : code.replace(/^.*\//, ""),
    String(message).replace(/ \[\d{1,3}\]$/, ""), // the SDK adds the HTTP status
    { field: told.field, hint: told.hint, retryAfterS: told.retryAfterS, cause: error },
  );
}

const PASSING = new Set(["unavailable", "deadline-exceeded"]);

/**
 * Whether a call failed on the way, so that the same call again may succeed. The functions say of
 * each refusal why, in its details; what has none was said by the network or by what lies between.
 * @param {unknown} error
 */
export function isLost(error) {
  const { code, details } = /** @type {any} */ (error ?? {});
  if (error instanceof RollcallError) return PASSING.has(error.code);
  if (typeof code !== "string") return false;
  return details?.code === undefined ? isOfNetwork(code) : PASSING.has(details.code);
}

/** @param {string} code */
function isOfNetwork(code) {
  return ["internal", "unknown", ...PASSING].includes(code.replace(/^.*\//, ""));
}
