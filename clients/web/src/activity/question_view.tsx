/** A question: its text, its answer fields, and the feedback. */

import type { ComponentType } from "preact";

import { Icon } from "../app/icon.js";
import { isOnline } from "../app/network.js";
import { number } from "../text/locale.js";
import { Choice, Match, MultiChoice, TrueFalse } from "./choices.js";
import { Ordering } from "./order_answer.js";
import { type Play, resultOf } from "./play.js";
import { directionOfAll, Paragraphs } from "./prose.js";
import type { Question } from "./question.js";
import { say } from "./texts.js";
import type { AnswerResult, Kind } from "./wire.js";
import { Cloze, Numeric, Open } from "./text_answers.js";

export interface AnswerProps {
  question: Question;
  /** The id of the question's words. */
  labelledBy: string;
}

const ANSWERS: Partial<Record<Kind, ComponentType<AnswerProps>>> = {
  choice: Choice,
  multi_choice: MultiChoice,
  true_false: TrueFalse,
  match: Match,
  order: Ordering,
  cloze: Cloze,
  numeric: Numeric,
  open: Open,
};

interface Props {
  play: Play;
  question: Question;
  /** Counted from 1. */
  at: number;
}

export function QuestionView({ play, question, at }: Props) {
  const { blockId, kind, stem, options, targets, points } = question.block;
  const Answer = ANSWERS[kind];
  const labelledBy = `stem-${blockId}`;
  const answered = question.answered.value;
  const isClosed = play.isFinished.value;
  const dir = directionOfAll([stem, ...options.map(({ text }) => text), ...targets.map(({ text }) => text)]);
  if (!Answer) return null;
  return (
    <section class="question" part="question" aria-labelledby={`title-${blockId}`} data-kind={kind}>
      <header class="row spread">
        <h2 id={`title-${blockId}`}>{say("question.title", { number: at })}</h2>
        {points > 0 && <span class="quiet">{say("question.points", { count: points })}</span>}
      </header>
      <fieldset class="answering" dir={dir} disabled={isClosed}>
        <div class="stem" id={labelledBy}>
          {kind === "cloze" ? <p><bdi>{say("cloze.lead")}</bdi></p> : <Paragraphs>{stem}</Paragraphs>}
          <p class="quiet how">{HOW[kind] && <bdi>{say(HOW[kind])}</bdi>}</p>
        </div>
        <Answer question={question} labelledBy={labelledBy} />
      </fieldset>
      {question.takesAnswers.value && !isClosed && (
        <div class="row">
          <button
            type="button"
            class="button primary"
            disabled={!question.mayCheck.value}
            onClick={({ currentTarget }) => {
              const section = currentTarget.closest("section");
              question.check();
              void play.send();
              // The button is not there any more for whoever pressed it.
              requestAnimationFrame(() => section?.querySelector<HTMLElement>(".said")?.focus());
            }}
          >
            {say(kind === "open" ? "answer.send" : answered ? "answer.again" : "answer.check")}
          </button>
          {answered && answered.triesLeft > 0 && (
            <span class="quiet">{say("tries.left", { count: answered.triesLeft })}</span>
          )}
        </div>
      )}
      <AnswerStatus question={question} isCutOff={play.isCutOff.value || !isOnline.value} />
    </section>
  );
}

const HOW: Partial<Record<Kind, Parameters<typeof say>[0]>> = {
  multi_choice: "how.multi_choice",
  match: "how.match",
  order: "how.order",
};

const ICON = { right: "check", partly: "check", wrong: "close", given: "send" } as const;

/** The feedback on the answer. It gets the focus after an answer, so it stays one element. */
function AnswerStatus({ question, isCutOff }: { question: Question; isCutOff: boolean }) {
  const answered = question.answered.value;
  const refusal = question.refusal.value;
  const isSending = question.sending.value !== undefined;
  if (!isSending && !refusal && !answered) return null;
  const result = isSending ? "sending" : refusal ? "refused" : resultOf(answered!);
  return (
    <div class="said" tabIndex={-1} data-result={result}>
      {isSending && <p>{say(isCutOff ? "sending.kept" : "sending.now")}</p>}
      {result === "refused" && <p>{refusal}</p>}
      {result !== "sending" && result !== "refused" && (
        <>
          <Icon name={ICON[result]} />
          <Feedback answered={answered!} />
        </>
      )}
    </div>
  );
}

function Feedback({ answered }: { answered: AnswerResult }) {
  const { feedback, hint, points, maxPoints } = answered;
  const result = resultOf(answered);
  return (
    <div class="grow">
      <p>
        <strong>{say(`result.${result}`)}</strong>
        {points !== undefined && maxPoints > 0 && (
          <span class="quiet"> {say("result.points", { points: number(points), count: maxPoints })}</span>
        )}
      </p>
      {feedback.map((line, at) => (
        <Paragraphs key={at}>{line}</Paragraphs>
      ))}
      {hint && result !== "given" && (
        <div class="hint">
          <strong>{say("result.hint")}</strong>
          <Paragraphs>{hint}</Paragraphs>
        </div>
      )}
    </div>
  );
}
