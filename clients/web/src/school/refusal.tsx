/** What an error means to teachers and pupils, in words of a school. */

import type { RollcallError } from "@rollcall/client";

import en from "../../texts/school/en.json";
import he from "../../texts/school/he.json";
import { toast } from "../app/toast.js";
import { ProblemNote } from "../chat/problem_note.js";
import type { Problem } from "../chat/problems.js";
import { textsOf } from "../text/locale.js";

const say = textsOf<keyof typeof en>({ en, he });

/** Codes that the same call again meets again. */
const LASTING = ["unauthenticated", "permission-denied", "invalid-argument"] as const;
const PASSING = ["unavailable", "deadline-exceeded", "failed-precondition", "aborted", "resource-exhausted"] as const;

export function refusalOf({ code, retryAfterS }: RollcallError): Problem {
  if (code === "resource-exhausted" && retryAfterS !== undefined) {
    const advice = say("refusal.rate.advice", { count: Math.ceil(retryAfterS) });
    return { title: say("refusal.rate"), advice, mayRetry: true };
  }
  // What is somebody else's is not told from what there is not.
  const wanted = code === "not-found" ? "permission-denied" : code;
  const lasting = LASTING.find((each) => each === wanted);
  const known = lasting ?? PASSING.find((each) => each === wanted) ?? "internal";
  return { title: say(`refusal.title.${known}`), advice: say(`refusal.advice.${known}`), mayRetry: !lasting };
}

export function RefusalNote({ error, onRetry }: { error: RollcallError; onRetry?: () => void }) {
  return <ProblemNote problem={refusalOf(error)} retry="app.try_again" {...(onRetry && { onRetry })} />;
}

/** Tell for some seconds that something was not done. */
export function tellRefusal(error: unknown): void {
  const { title, advice } = refusalOf(error as RollcallError);
  toast(`${title}. ${advice}`);
}
