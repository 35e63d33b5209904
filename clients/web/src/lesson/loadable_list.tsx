/** A list that is loading, refused, empty or loaded. */

import type { ComponentChild } from "preact";

import { RefusalNote } from "../school/refusal.js";
import type { Loadable } from "../school/use_call.js";
import { text } from "../text/locale.js";

interface Props<T> {
  found: Loadable<T[]>;
  empty: string;
  children: (found: T[]) => ComponentChild;
}

export function LoadableList<T>({ found: { value, problem }, empty, children }: Props<T>) {
  if (problem) return <RefusalNote error={problem} />;
  if (!value) return <p class="quiet loading">{text("app.loading")}</p>;
  return <>{value.length ? children(value) : <p class="quiet lesson-empty">{empty}</p>}</>;
}
