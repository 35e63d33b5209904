/** Calls of packs' functions, and their errors. */

import { RollcallError } from "@rollcall/client";
import { httpsCallable } from "firebase/functions";

import { locale } from "../text/locale.js";
import type { Connection } from "./connection.js";

/** Codes after which a retry of the same call may succeed. */
const PASSING = new Set(["unavailable", "deadline-exceeded", "aborted"]);

/**
 * Call a capability. With a `callKey` a write happens once, however often it is sent.
 * @throws {RollcallError} It was refused, with the field that is wrong, or did not arrive.
 */
export async function call<Result>(
  { functions }: Connection,
  capability: string,
  args: object,
  options: { context?: object; callKey?: string } = {},
): Promise<Result> {
  try {
    const data = { arguments: args, locale: locale.peek(), ...options };
    return (await httpsCallable<object, Result>(functions, capability)(data)).data;
  } catch (error) {
    throw errorOf(error);
  }
}

export function isTransient({ code, retryAfterS }: RollcallError): boolean {
  return PASSING.has(code) || (code === "resource-exhausted" && retryAfterS !== undefined);
}

/** An error of a function has details. One without them came from the network or a proxy. */
function errorOf(error: unknown): RollcallError {
  const { code = "", message, details } = error as { code?: string; message: string; details?: unknown };
  if (typeof details === "object" && details !== null && "code" in details) {
    return new RollcallError(String(details.code), message.replace(/ \[\d{1,3}\]$/, ""), { ...details, cause: error });
  }
  const bare = code.replace(/^.*\//, "");
  const isLost = !bare || bare === "internal" || bare === "unknown";
  return new RollcallError(isLost ? "unavailable" : bare, message, { cause: error });
}
