/** How far a call of a tool is, as its card says it. */

import type { ShownCall } from "@rollcall/client";
import type { CallStatus } from "@rollcall/client/wire";

export type CardStatus = CallStatus | "writing" | "running";

/** The record has the last word; until there is one, the events tell. */
export function statusOf(call: ShownCall): CardStatus {
  if (call.record) return call.record.status;
  if (call.result !== undefined) return errorOf(call) ? "failed" : "done";
  return call.isWhole ? "running" : "writing";
}

/** What went wrong, for a person. */
export function errorOf({ record, result }: ShownCall): string | undefined {
  if (record) return record.error && String(record.error.message ?? record.error.code ?? "");
  const told = parsed(result) as { error?: { message?: unknown } } | undefined;
  const message = told?.error?.message ?? told?.error;
  return message === undefined ? undefined : String(message);
}

/** What it answered, as data where it is that. */
export function resultOf({ record, result }: ShownCall): unknown {
  return record ? record.result : (parsed(result) ?? result);
}

function parsed(text: string | undefined): unknown {
  if (text === undefined || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it was no JSON after all, and is shown as the text that it is
  }
}

/**
 * The arguments in a few words, for the card's first line. Ids tell people nothing, nor do words of
 * code that a tool lists, such as "lesson_plan".
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
