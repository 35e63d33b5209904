/** Errors in words for teachers and pupils. */

import type { RollcallError } from "@rollcall/client";

import en from "../../texts/school/en.json";
import he from "../../texts/school/he.json";
import { toast } from "../app/toast.js";
import { ProblemNote } from "../chat/problem_note.js";
import type { Problem } from "../chat/problems.js";
import { textsOf } from "../text/locale.js";

const say = textsOf<keyof typeof en>({ en, he });

/** Codes that a retry meets again. */
const LASTING = ["unauthenticated", "permission-denied", "invalid-argument"] as const;
const TRANSIENT = ["unavailable", "deadline-exceeded", "failed-precondition", "aborted", "resource-exhausted"] as const;

export function refusalOf({ code, retryAfterS }: RollcallError): Problem {
  if (code === "resource-exhausted" && retryAfterS !== undefined) {
    const advice = say("refusal.rate.advice", { count: Math.ceil(retryAfterS) });
    return { title: say("refusal.rate"), advice, mayRetry: true };
  }
  // Other users' content and missing content give the same message.
  const wanted = code === "not-found" ? "permission-denied" : code;
  const lasting = LASTING.find((each) => each === wanted);
  const known = lasting ?? TRANSIENT.find((each) => each === wanted) ?? "internal";
  return { title: say(`refusal.title.${known}`), advice: say(`refusal.advice.${known}`), mayRetry: !lasting };
}

export function RefusalNote({ error, onRetry }: { error: RollcallError; onRetry?: () => void }) {
  return <ProblemNote problem={refusalOf(error)} retry="app.try_again" {...(onRetry && { onRetry })} />;
}

/** Show a toast about a refused action. */
export function toastRefusal(error: unknown): void {
  const { title, advice } = refusalOf(error as RollcallError);
  toast(`${title}. ${advice}`);
}
