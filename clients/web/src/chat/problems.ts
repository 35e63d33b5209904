/** What an error or a limit means for the user, in their language, with what to do about it. */

import type { RollcallError } from "@rollcall/client";
import type { StopReason } from "@rollcall/client/wire";

import { directionOf } from "../text/direction.js";
import { direction, type Key, text } from "../text/locale.js";

export interface Problem {
  title: string;
  /** What to do, or what the server said of it. */
  advice: string;
  /** Whether the same again may succeed. */
  mayRetry: boolean;
  /** A view that says more. */
  view?: "usage";
}

/** Refusals that pass by themselves soon, in seconds: those of a rate, not of a day's budget. */
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
  // A hint in another language is for programs; whoever sets the app up reads it all the same.
  const isRead = code === "failed-precondition" || directionOf(hint ?? "") === direction.value;
  const said = [message, isRead && hint].filter(Boolean).join("; ");
  const parts = [text(advice, { said })];
  // By its id whoever runs the app finds in the log what went wrong.
  const incident = /\b[0-9a-f]{12}\b/.exec(message)?.[0];
  if (incident && !parts[0]!.includes(incident)) parts.push(text("problem.incident", { incident }));
  return { title: text(title), advice: parts.join(" "), mayRetry };
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

/** Why an answer ended before the agent was done. A stop by the user says so itself. */
export function stopText(reason: StopReason | undefined): string | undefined {
  const key = reason && STOPS[reason];
  return key && text(key);
}
