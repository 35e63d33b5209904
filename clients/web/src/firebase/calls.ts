/** Calls of functions, and their errors. */

import { type RollcallError, toRollcallError } from "@rollcall/client";
import { httpsCallable } from "firebase/functions";

import { locale } from "../text/locale.js";
import type { Connection } from "./connection.js";

/** Codes after which a retry of the same call may succeed. */
const PASSING = new Set(["unavailable", "deadline-exceeded", "aborted"]);

/**
 * Call a capability. With a `callKey` a write happens once, however often it is sent.
 * @throws {RollcallError} It was refused, with the field that is wrong, or did not arrive.
 */
export function call<Result>(
  connection: Connection,
  capability: string,
  args: object,
  options: { context?: object; callKey?: string } = {},
): Promise<Result> {
  return callable(connection, capability, { arguments: args, locale: locale.peek(), ...options });
}

/**
 * Call one of Rollcall's own functions.
 * @throws {RollcallError} It was refused, or did not arrive.
 */
export function invoke<Result>(connection: Connection, name: string, data: object): Promise<Result> {
  return callable(connection, connection.functionName(name), data);
}

async function callable<Result>({ functions }: Connection, name: string, data: object): Promise<Result> {
  try {
    return (await httpsCallable<object, Result>(functions, name)(data)).data;
  } catch (error) {
    throw toRollcallError(error);
  }
}

export function isTransient({ code, retryAfterS }: RollcallError): boolean {
  return PASSING.has(code) || (code === "resource-exhausted" && retryAfterS !== undefined);
}
