/** The user's rating of an answer. */

import { useSignal } from "@preact/signals";

import { toast } from "../app/toast.js";
import { text } from "../text/locale.js";
import type { Conversation } from "./conversation.js";
import type { Turn } from "./turn.js";
import { Action } from "./turn_block.js";

const COMMENT_CHARS = 1_000;

export function Rating({ turn, conversation }: { turn: Turn; conversation: Conversation }) {
  const given = useSignal<"up" | "down" | null>(null);
  const isAsking = useSignal(false);
  const rate = async (rating: "up" | "down" | null, comment?: string) => {
    const before = given.value;
    given.value = rating;
    try {
      await conversation.rate(turn, rating, comment);
      isAsking.value = rating !== null && comment === undefined;
      if (comment !== undefined) toast(text("rating.thanks"));
    } catch {
      given.value = before;
      toast(text("rating.failed"));
    }
  };
  return (
    <>
      {(["up", "down"] as const).map((each) => (
        <Action
          key={each}
          icon={each}
          name={`rating.${each}`}
          isPressed={given.value === each}
          onClick={() => rate(given.value === each ? null : each)}
        />
      ))}
      {isAsking.value && (
        <form
          class="comment row"
          onSubmit={(event) => {
            event.preventDefault();
            (event.currentTarget.previousElementSibling as HTMLElement).focus(); // the form goes
            void rate(given.value, String(new FormData(event.currentTarget).get("comment")));
          }}
        >
          <label class="grow">
            <span class="visually-hidden">{text("rating.comment")}</span>
            <input
              name="comment"
              dir="auto"
              maxLength={COMMENT_CHARS}
              placeholder={text("rating.comment")}
              required
            />
          </label>
          <button class="button small">{text("rating.send")}</button>
        </form>
      )}
    </>
  );
}
