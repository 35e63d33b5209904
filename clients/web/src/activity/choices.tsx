/** Questions that are answered by choosing: one option, several, true or false, pairs. */

import type { ComponentChild } from "preact";

import { Line } from "../markdown/prose.js";
import { locale } from "../text/locale.js";
import { Mark } from "./mark.js";
import type { AnswerProps } from "./question_view.js";
import { say } from "./texts.js";

interface ChoiceProps extends AnswerProps {
  type: "radio" | "checkbox";
  options: { id: string; content: ComponentChild }[];
  isChosen: (id: string) => boolean;
  onChoose: (id: string) => void;
}

function Choices({ question, labelledBy, type, options, isChosen, onChoose }: ChoiceProps) {
  const { blockId } = question.block;
  const isRight = question.shown.value?.correct;
  return (
    <div class="options" role={type === "radio" ? "radiogroup" : "group"} aria-labelledby={labelledBy}>
      {options.map(({ id, content }) => (
        <label key={id} class="option">
          <input
            type={type}
            name={blockId}
            value={id}
            checked={isChosen(id)}
            disabled={!question.takesAnswers.value}
            onChange={() => onChoose(id)}
          />
          <span class="grow">{content}</span>
          {isChosen(id) && type === "radio" && <Mark isRight={isRight} />}
        </label>
      ))}
    </div>
  );
}

export function Choice(props: AnswerProps) {
  const { question } = props;
  return (
    <Choices
      {...props}
      type="radio"
      options={question.block.options.map(({ id, text }) => ({ id, content: <Line>{text}</Line> }))}
      isChosen={(id) => question.draft.value === id}
      onChoose={(id) => question.write(id)}
    />
  );
}

export function MultiChoice(props: AnswerProps) {
  const { question } = props;
  const { options } = question.block;
  const chosen = new Set(question.draft.value as string[]);
  return (
    <Choices
      {...props}
      type="checkbox"
      options={options.map(({ id, text }) => ({ id, content: <Line>{text}</Line> }))}
      isChosen={(id) => chosen.has(id)}
      onChoose={(id) =>
        question.write(options.map((each) => each.id).filter((each) => chosen.has(each) !== (each === id)))
      }
    />
  );
}

export function TrueFalse(props: AnswerProps) {
  const { question } = props;
  const options = [true, false].map((truth) => ({
    id: String(truth),
    content: say(truth ? "answer.true" : "answer.false"),
  }));
  return (
    <Choices
      {...props}
      type="radio"
      options={options}
      isChosen={(id) => String(question.draft.value) === id}
      onChoose={(id) => question.write(id === "true")}
    />
  );
}

/** Each option has a row of the targets' letters to choose from, as on a printed sheet. */
export function Match({ question, labelledBy }: AnswerProps) {
  const { blockId, options, targets } = question.block;
  const draft = question.draft.value as Record<string, string>;
  const parts = question.shown.value?.parts;
  return (
    <div class="match">
      <ol class="targets" aria-label={say("match.targets")}>
        {targets.map(({ id, text }, at) => (
          <li key={id}>
            <span class="letter">{letter(at)}</span>
            <span class="grow">
              <Line>{text}</Line>
            </span>
          </li>
        ))}
      </ol>
      <div class="pairs" role="group" aria-labelledby={labelledBy}>
        {options.map(({ id, text }) => {
          const chosen = targets.findIndex((target) => target.id === draft[id]);
          return (
            <fieldset key={id} class="pair">
              <legend>
                <Line>{text}</Line>
              </legend>
              <div class="row">
                {targets.map((target, at) => (
                  <label key={target.id} class="pick">
                    <input
                      type="radio"
                      name={`${blockId}-${id}`}
                      checked={at === chosen}
                      disabled={!question.takesAnswers.value}
                      onChange={() => question.write({ ...draft, [id]: target.id })}
                    />
                    <span aria-hidden="true">{letter(at)}</span>
                    <span class="visually-hidden">{`${letter(at)}: ${target.text}`}</span>
                  </label>
                ))}
                <Mark isRight={draft[id] === undefined ? undefined : parts?.[id]} />
              </div>
              <p class="picked quiet">{chosen >= 0 && <Line>{targets[chosen]!.text}</Line>}</p>
            </fieldset>
          );
        })}
      </div>
    </div>
  );
}

/** A, B, C … or א, ב, ג …; there are at most 20 targets. */
function letter(at: number): string {
  return locale.value === "he" ? "אבגדהוזחטיכלמנסעפצקר".charAt(at) : String.fromCharCode(65 + at);
}
