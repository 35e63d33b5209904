/** The answer to an ordering question: buttons move an item up or down. */

import { useLayoutEffect, useRef } from "preact/hooks";

import { Icon, ICONS } from "../app/icon.js";
import { announce } from "../app/toast.js";
import { Line } from "../markdown/prose.js";
import type { AnswerProps } from "./question_view.js";
import { say } from "./texts.js";

const UP = ICONS.send;

export function Ordering({ question, labelledBy }: AnswerProps) {
  const list = useRef<HTMLOListElement>(null);
  /** The button that was pressed: what moves loses the focus. */
  const pressed = useRef<{ id: string; by: number } | undefined>(undefined);
  const ids = question.draft.value as string[];
  const texts = new Map(question.block.options.map(({ id, text }) => [id, text]));
  const move = (at: number, by: number) => {
    const moved = [...ids];
    const [id] = moved.splice(at, 1) as [string];
    moved.splice(at + by, 0, id);
    pressed.current = { id, by };
    question.write(moved);
    announce(say("order.moved", { name: texts.get(id) ?? "", place: at + by + 1, count: ids.length }));
  };
  useLayoutEffect(() => {
    if (!pressed.current) return;
    const { id, by } = pressed.current;
    const row = list.current?.querySelector(`[data-id="${CSS.escape(id)}"]`);
    const buttons = [...(row?.querySelectorAll("button") ?? [])];
    const [up, down] = buttons;
    const wanted = by < 0 ? up : down;
    (wanted?.disabled ? (by < 0 ? down : up) : wanted)?.focus();
    pressed.current = undefined;
  }, [ids]);
  return (
    <ol class="ordering" ref={list} aria-labelledby={labelledBy}>
      {ids.map((id, at) => {
        const name = texts.get(id) ?? "";
        return (
          <li key={id} data-id={id}>
            <span class="grow">
              <Line>{name}</Line>
            </span>
            {[-1, 1].map((by) => (
              <button
                key={by}
                type="button"
                class="icon-button"
                disabled={!question.takesAnswers.value || !ids[at + by]}
                onClick={() => move(at, by)}
              >
                <Icon path={by < 0 ? UP : ICONS.arrow_down} />
                <span class="visually-hidden">{say(by < 0 ? "order.up" : "order.down", { name })}</span>
              </button>
            ))}
          </li>
        );
      })}
    </ol>
  );
}
