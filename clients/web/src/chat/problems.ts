/** Errors and limits in words for the user, with advice. */

import type { RollcallError } from "@rollcall/client";
import type { StopReason } from "@rollcall/client/wire";

import { directionOf } from "../text/direction.js";
import { direction, type Key, text } from "../text/locale.js";

export interface Problem {
  title: string;
  /** What to do, or the server's message. */
  advice: string;
  /** Whether a retry may succeed. */
  mayRetry: boolean;
  /** A view with more about it. */
  view?: "usage";
}

/** Up to this many seconds, a refusal counts as a rate limit, and beyond it as a spent budget. */
const SOON_S = 600;

const BY_CODE: Record<string, { title: Key; advice: Key; mayRetry: boolean }> = {
  unavailable: { title: "problem.outage", advice: "problem.outage.advice", mayRetry: true },
  "deadline-exceeded": { title: "problem.slow", advice: "problem.slow.advice", mayRetry: true },
  unauthenticated: { title: "problem.sign_in", advice: "problem.sign_in.advice", mayRetry: false },
  "permission-denied": { title: "problem.denied", advice: "problem.denied.advice", mayRetry: false },
  "not-found": { title: "problem.gone", advice: "problem.gone.advice", mayRetry: false },
  "failed-precondition": { title: "problem.setup", advice: "problem.setup.advice", mayRetry: true },
  aborted: { title: "problem.busy", advice: "problem.busy.advice", mayRetry: true },
  "invalid-argument": { title: "problem.input", advice: "problem.input.advice", mayRetry: false },
  internal: { title: "problem.internal", advice: "problem.internal.advice", mayRetry: true },
};

export function problemOf(error: RollcallError): Problem {
  const { code, message, hint, retryAfterS } = error;
  if (code === "resource-exhausted") {
    const isSoon = retryAfterS !== undefined && retryAfterS <= SOON_S;
    if (isSoon) {
      const advice = text("problem.rate.advice", { count: Math.ceil(retryAfterS) });
      return { title: text("problem.rate"), advice, mayRetry: true };
    }
    const advice = text("problem.budget.advice");
    return { title: text("problem.budget"), advice, mayRetry: true, view: "usage" };
  }
  const known = BY_CODE[code] ?? BY_CODE.internal!;
  const { title, advice, mayRetry } = known;
  // A hint in another language is shown only for set-up errors, to the app's developer.
  const isRead = code === "failed-precondition" || directionOf(hint ?? "") === direction.value;
  const said = [message, isRead && hint].filter(Boolean).join("; ");
  const parts = [text(advice, { said })];
  // With this id the operator finds the error in the log.
  const incident = /\b[0-9a-f]{12}\b/.exec(message)?.[0];
  if (incident && !parts[0]!.includes(incident)) parts.push(text("problem.incident", { incident }));
  return { title: text(title), advice: parts.join(" "), mayRetry };
}

/** The server says why it refused these; of other errors it tells nothing that a user can use. */
const REFUSALS = ["invalid-argument", "failed-precondition", "resource-exhausted"];

/** Why something else than an answer was not done, in few words. */
export function reasonOf(error: RollcallError): string {
  return REFUSALS.includes(error.code) ? error.message : problemOf(error).title;
}

const STOPS: Partial<Record<StopReason, Key>> = {
  max_steps: "stop.steps",
  max_calls: "stop.steps",
  max_tokens: "stop.tokens",
  max_cost: "stop.cost",
  budget: "stop.budget",
  deadline: "stop.deadline",
  repeated_calls: "stop.repeated",
  length: "stop.length",
  blocked: "stop.blocked",
  model_unavailable: "stop.model",
};

/** Why an answer stopped early; nothing for a stop by the user. */
export function stopText(reason: StopReason | undefined): string | undefined {
  const key = reason && STOPS[reason];
  return key && text(key);
}
