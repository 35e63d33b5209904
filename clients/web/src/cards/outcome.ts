/** The status, error and result of a tool call. */

import type { ShownCall } from "@rollcall/client";
import type { CallStatus } from "@rollcall/client/wire";

export type CardStatus = CallStatus | "writing" | "running";

/** From the call's record, or from its events until there is one. */
export function statusOf(call: ShownCall): CardStatus {
  if (call.record) return call.record.status;
  if (call.result !== undefined) return errorOf(call) ? "failed" : "done";
  return call.isWhole ? "running" : "writing";
}

/** The error message. */
export function errorOf({ record, result }: ShownCall): string | undefined {
  if (record) return record.error && String(record.error.message ?? record.error.code ?? "");
  const told = parseJson(result) as { error?: { message?: unknown } } | undefined;
  const message = told?.error?.message ?? told?.error;
  return message === undefined ? undefined : String(message);
}

/** The result, parsed if it is JSON. */
export function resultOf({ record, result }: ShownCall): unknown {
  return record ? record.result : (parseJson(result) ?? result);
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it was no JSON after all, and is shown as the text that it is
  }
}

/**
 * A summary of the arguments for the card's first line, without ids and enum values such as
 * "lesson_plan".
 */
export function gist(args: unknown, schema: Record<string, unknown> = {}): string {
  if (typeof args !== "object" || args === null) return "";
  const properties = (schema.properties ?? {}) as Record<string, { enum?: unknown }>;
  const words = Object.entries(args)
    .filter(([name, value]) => !/(?:^i|I)ds?$/.test(name) && ["string", "number"].includes(typeof value))
    .filter(([name, value]) => value !== "" && !(properties[name]?.enum && /^[a-z_]{2,}$/.test(value)))
    .map(([, value]) => String(value).replace(/[\s\p{C}]+/gu, " ").slice(0, 60));
  return words.slice(0, 4).join(" · ").slice(0, 120);
}
