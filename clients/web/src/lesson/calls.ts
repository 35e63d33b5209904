/** Calls of the tutoring pack's functions. */

import type { Connection } from "../firebase/connection.js";
import { locale } from "../text/locale.js";

/** @throws RollcallError It was refused, with the field that is wrong, or did not arrive. */
export async function call<Result>(
  connection: Connection,
  capability: string,
  args: object,
  options: { context?: object; callKey?: string } = {},
): Promise<Result> {
  const { rollcall } = await connection.store();
  return (await rollcall.call(capability, args, { locale: locale.value, ...options })) as Result;
}
