/** What is followed in Firestore: loading, refused, empty, or there. */

import type { ComponentChild } from "preact";

import { ProblemNote } from "../chat/problem_note.js";
import { problemOf } from "../chat/problems.js";
import { text } from "../text/locale.js";
import type { Followed } from "./stored.js";

interface Props<T> {
  followed: Followed<T[]>;
  empty: string;
  children: (found: T[]) => ComponentChild;
}

export function Listed<T>({ followed: { value, problem }, empty, children }: Props<T>) {
  if (problem) return <ProblemNote problem={problemOf(problem)} />;
  if (!value) return <p class="quiet loading">{text("app.loading")}</p>;
  return <>{value.length ? children(value) : <p class="quiet lesson-empty">{empty}</p>}</>;
}
