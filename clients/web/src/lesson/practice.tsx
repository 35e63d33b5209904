/** The practice of review items: the error, the correction, and how well the pupil remembered it. */

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

import { announce } from "../app/toast.js";
import { call } from "../firebase/calls.js";
import type { Connection } from "../firebase/connection.js";
import { RefusalNote, toastRefusal } from "../school/refusal.js";
import { useCall } from "../school/use_call.js";
import { text } from "../text/locale.js";
import { say, sayOf } from "./texts.js";

const RATINGS = ["again", "hard", "good", "easy"] as const;

/** A review item in the result of `list_review_items`. */
interface ReviewItem {
  itemId: string;
  errorType: string;
  original: string;
  correction: string;
  explanation: string | null;
}

export function Practice({ connection }: { connection: Connection }) {
  const [due, load] = useCall<{ items: ReviewItem[] }>(connection, "list_review_items", { onlyDue: true });
  const isShown = useSignal(false);
  const isBusy = useSignal(false);
  const card = useRef<HTMLDivElement>(null);
  const { value: { items } = {}, problem } = due.value;
  const rate = async (item: ReviewItem, rating: (typeof RATINGS)[number]) => {
    isBusy.value = true;
    try {
      const args = { itemId: item.itemId, rating };
      const { done } = await call<{ done: string }>(connection, "review_item", args, { callKey: crypto.randomUUID() });
      announce(done);
      due.value = { value: { items: items!.filter((each) => each !== item) } };
      isShown.value = false;
      card.current?.focus();
    } catch (error) {
      toastRefusal(error);
    } finally {
      isBusy.value = false;
    }
  };
  if (problem) return <RefusalNote error={problem} onRetry={load} />;
  if (!items) return <p class="quiet">{text("app.loading")}</p>;
  const [item] = items;
  return (
    <div class="practice" ref={card} tabIndex={-1}>
      {!item ? (
        <p class="quiet">{say("practice.none")}</p>
      ) : (
        <>
          <p class="quiet">
            {sayOf(`item.${item.errorType}`)} · {say("practice.left", { count: items.length })}
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
