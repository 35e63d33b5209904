/** Review items to practise: what was said, how it is said, and how well the pupil remembered it. */

import type { RollcallError } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { announce, toast } from "../app/toast.js";
import { ProblemNote } from "../chat/problem_note.js";
import { problemOf } from "../chat/problems.js";
import type { Connection } from "../firebase/connection.js";
import { text } from "../text/locale.js";
import { call } from "./calls.js";
import { say, sayOf } from "./texts.js";

const RATINGS = ["again", "hard", "good", "easy"] as const;

/** A review item as `list_review_items` tells it. */
interface ReviewItem {
  itemId: string;
  errorType: string;
  original: string;
  correction: string;
  explanation: string | null;
}

export function Practice({ connection }: { connection: Connection }) {
  const items = useSignal<ReviewItem[] | undefined>(undefined);
  const problem = useSignal<RollcallError | undefined>(undefined);
  const isShown = useSignal(false);
  const isBusy = useSignal(false);
  const card = useRef<HTMLDivElement>(null);
  const load = () => {
    problem.value = undefined;
    call<{ items: ReviewItem[] }>(connection, "list_review_items", { onlyDue: true }).then(
      (found) => (items.value = found.items),
      (error: RollcallError) => (problem.value = error),
    );
  };
  useEffect(load, []);
  const rate = async (item: ReviewItem, rating: (typeof RATINGS)[number]) => {
    isBusy.value = true;
    try {
      const args = { itemId: item.itemId, rating };
      const { done } = await call<{ done: string }>(connection, "review_item", args, { callKey: crypto.randomUUID() });
      announce(done);
      items.value = items.value?.filter((each) => each !== item);
      isShown.value = false;
      card.current?.focus();
    } catch (error) {
      toast(text("threads.not_done", { reason: (error as RollcallError).message }));
    } finally {
      isBusy.value = false;
    }
  };
  if (problem.value) return <ProblemNote problem={problemOf(problem.value)} retry="app.try_again" onRetry={load} />;
  if (!items.value) return <p class="quiet">{text("app.loading")}</p>;
  const [item] = items.value;
  return (
    <div class="practice" ref={card} tabIndex={-1}>
      {!item ? (
        <p class="quiet">{say("practice.none")}</p>
      ) : (
        <>
          <p class="quiet">
            {sayOf(`item.${item.errorType}`)} · {say("practice.left", { count: items.value.length })}
          </p>
          <p class="practice-said">
            <span class="quiet">{say("practice.said")}</span>
            <bdi>{item.original}</bdi>
          </p>
          {!isShown.value ? (
            <button class="button primary" onClick={() => (isShown.value = true)}>
              {say("practice.show")}
            </button>
          ) : (
            <>
              <p class="practice-answer">
                <span class="quiet">{say("practice.correct")}</span>
                <bdi>{item.correction}</bdi>
              </p>
              {item.explanation && <p dir="auto">{item.explanation}</p>}
              <fieldset class="ratings" disabled={isBusy.value}>
                <legend>{say("practice.how")}</legend>
                {RATINGS.map((each) => (
                  <button key={each} class="button small" onClick={() => void rate(item, each)}>
                    {say(`rating.${each}`)}
                  </button>
                ))}
              </fieldset>
            </>
          )}
        </>
      )}
    </div>
  );
}
