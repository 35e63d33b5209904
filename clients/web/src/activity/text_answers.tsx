/** Answers in writing: gaps, a number, a text. */

import { directionOf } from "../text/direction.js";
import { direction } from "../text/locale.js";
import { Mark } from "./mark.js";
import { isolatedText, Paragraphs } from "./prose.js";
import type { AnswerProps } from "./question_view.js";
import { say } from "./texts.js";

/** The text of a cloze, with a field in each gap, or a menu where there are words to choose from. */
export function Cloze({ question }: AnswerProps) {
  const { stem, options } = question.block;
  const draft = question.draft.value as Record<string, string>;
  const parts = question.shown.value?.parts;
  const gap = (number: string) => {
    const value = draft[number] ?? "";
    const field = {
      "aria-label": say("cloze.gap", { number: Number(number) }),
      disabled: !question.takesAnswers.value,
      value,
      dir: directionOf(value) ?? (value ? "ltr" : direction.value),
    };
    const write = (text: string) => question.write({ ...draft, [number]: text });
    return (
      <span class="gap" key={number}>
        {options.length > 0 ? (
          <select {...field} onChange={({ currentTarget }) => write(currentTarget.value)}>
            <option value="" />
            {options.map(({ id, text }) => (
              <option key={id} value={text}>
                {isolatedText(text)}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...field}
            type="text"
            autocomplete="off"
            maxLength={200}
            size={Math.min(24, Math.max(6, value.length + 1))}
            onInput={({ currentTarget }) => write(currentTarget.value)}
          />
        )}
        <Mark isRight={value ? parts?.[number] : undefined} />
      </span>
    );
  };
  return (
    <div class="cloze">
      <Paragraphs gap={gap}>{stem}</Paragraphs>
    </div>
  );
}

export function Numeric({ question, labelledBy }: AnswerProps) {
  const { unit } = question.block;
  return (
    <div class="numeric row">
      <input
        type="text"
        dir="ltr"
        autocomplete="off"
        maxLength={60}
        aria-labelledby={labelledBy}
        aria-invalid={question.refusal.value !== undefined}
        disabled={!question.takesAnswers.value}
        value={String(question.draft.value ?? "")}
        onInput={({ currentTarget }) => question.write(currentTarget.value)}
      />
      {unit && <bdi>{unit}</bdi>}
      <Mark isRight={question.shown.value?.correct} />
    </div>
  );
}

const MAX_CHARS = 10_000;

export function Open({ question, labelledBy }: AnswerProps) {
  const value = String(question.draft.value ?? "");
  return (
    <textarea
      class="open-answer"
      rows={5}
      maxLength={MAX_CHARS}
      aria-labelledby={labelledBy}
      dir={directionOf(value) ?? direction.value}
      disabled={!question.takesAnswers.value}
      value={value}
      onInput={({ currentTarget }) => question.write(currentTarget.value)}
    />
  );
}
