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
 * Convert an error of Firebase's SDKs; a `RollcallError` is returned unchanged.
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
  if (code.startsWith("functions/") && told.code === undefined && isOfNetwork(code)) {
    return new RollcallError("unavailable", "the functions cannot be reached", { cause: error });
  }
  return new RollcallError(
    typeof told.code === "string" ? told.code : code.replace(/^.*\//, ""),
    String(message).replace(/ \[\d{1,3}\]$/, ""), // the SDK adds the HTTP status
    { field: told.field, hint: told.hint, retryAfterS: told.retryAfterS, cause: error },
  );
}

const PASSING = new Set(["unavailable", "deadline-exceeded"]);

/**
 * Whether the connection failed, so that a retry may succeed. Refusals of the functions have details;
 * errors without them come from the network or a proxy.
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
