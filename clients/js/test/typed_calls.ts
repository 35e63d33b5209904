// Compiled and never run: calls of capabilities whose types are known.

import { getFunctions } from "firebase/functions";

import { Rollcall } from "@rollcall/client";

const rollcall = new Rollcall({ functions: getFunctions() });

export async function measure(word: string): Promise<number> {
  const { length } = await rollcall.call("measure", { word, unit: "letters" }, { callKey: "k" });
  return length;
}

// @ts-expect-error There is no such capability.
rollcall.call("weigh", {});
// @ts-expect-error The word is missing.
rollcall.call("measure", {});
// @ts-expect-error There is no such unit.
rollcall.call("measure", { word: "a", unit: "miles" });
