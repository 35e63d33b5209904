/** The player of an activity, for pupils, and for teachers as a preview. */

import type { RollcallError } from "@rollcall/client";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";

import css from "../../styles/activity.css?text";
import { Confirmation } from "../app/confirmation.js";
import { isOnline } from "../app/network.js";
import { useStyles } from "../app/styles.js";
import { ProblemNote } from "../chat/problem_note.js";
import type { Problem } from "../chat/problems.js";
import type { Connection } from "../firebase/connection.js";
import { ConnectionContext } from "../firebase/connection_context.js";
import { refusalOf } from "../school/refusal.js";
import { number, text } from "../text/locale.js";
import { Play } from "./play.js";
import { isolatedText } from "./prose.js";
import { isQuestion } from "./question.js";
import { QuestionView } from "./question_view.js";
import { ContentBlock } from "./content_block.js";
import { say } from "./texts.js";
import type { Attempt } from "./wire.js";

/** How far somebody is, for whoever hosts the player. */
export interface Progress {
  contentId: string;
  status: Attempt["status"];
  answered: number;
  questions: number;
  /** Of what was handed in. */
  points?: number;
  maxPoints?: number;
}

export interface PlayerProps {
  connection: Connection;
  contentId: string;
  onBack?: () => void;
  onProgress?: (progress: Progress) => void;
}

export function Player({ connection, contentId, onBack, onProgress }: PlayerProps) {
  useStyles(css);
  const play = useMemo(() => new Play(connection, contentId), [connection, contentId]);
  useEffect(() => () => play.close(), [play]);
  useSignalEffect(() => {
    const attempt = play.attempt.value;
    if (!play.activity.value || play.activity.value.isPreview) return;
    const { status = "open", points, maxPoints } = attempt ?? {};
    const done = status === "finished" ? { points: points!, maxPoints: maxPoints! } : {};
    const questions = play.questions.value.size;
    onProgress?.({ contentId, status, answered: play.answered.value, questions, ...done });
  });
  const activity = play.activity.value;
  const problem = play.problem.value;
  return (
    <ConnectionContext.Provider value={connection}>
      <div class="page play">
        <div class="row spread play-bar">
          {onBack && (
            <button type="button" class="text-button" onClick={onBack}>
              {say("player.back")}
            </button>
          )}
          {activity && (
            <button type="button" class="button small" onClick={() => print()}>
              {say("player.print")}
            </button>
          )}
        </div>
        {problem && <ProblemNote problem={problemIn(problem)} retry="app.try_again" onRetry={() => void play.load()} />}
        {!activity && !problem && (
          <p class="quiet loading">{play.isCutOff.value ? say("state.cut_off") : text("app.loading")}</p>
        )}
        {activity && <Sheet play={play} />}
      </div>
    </ConnectionContext.Provider>
  );
}

/** What an error means here: what is not open to somebody is not told from what there is not. */
function problemIn(error: RollcallError): Problem {
  if (error.code !== "permission-denied") return refusalOf(error);
  return { title: say("refused.title"), advice: say("refused.advice"), mayRetry: false };
}

function Sheet({ play }: { play: Play }) {
  const activity = play.activity.value!;
  const { size } = play.questions.value;
  let at = 0;
  return (
    <>
      <h1 dir="auto">{isolatedText(activity.title)}</h1>
      <p class="paper name-line">{say("player.name")}</p>
      {activity.isPreview && <p class="note preview">{say("player.preview")}</p>}
      {play.hasChanged.value && <p class="note">{say("player.changed")}</p>}
      {play.isFinished.value ? (
        <Outcome attempt={play.attempt.value!} />
      ) : (
        size > 0 && (
          <p class="quiet">
            {say("player.lead", { count: size })} {say("player.tries", { count: activity.maxTries })}
          </p>
        )
      )}
      {size > 0 && !play.isFinished.value && <ProgressBar play={play} />}
      <div class="blocks" lang={activity.locale}>
        {activity.blocks.map((block) => {
          const question = play.questions.value.get(block.blockId);
          if (isQuestion(block) && question) {
            at += 1;
            return <QuestionView key={`${block.blockId} ${activity.version}`} {...{ play, question, at }} />;
          }
          return <ContentBlock key={block.blockId} block={block} />;
        })}
      </div>
      {size > 0 && !play.isFinished.value && <HandIn play={play} />}
    </>
  );
}

/** Stays in sight: how much is answered, and whether the server has it. */
function ProgressBar({ play }: { play: Play }) {
  const answered = play.answered.value;
  const { size } = play.questions.value;
  const waiting = play.waiting.value;
  const isCutOff = play.isCutOff.value || !isOnline.value;
  const state = isCutOff
    ? waiting
      ? say("state.kept", { count: waiting })
      : say("state.offline")
    : say(waiting ? "state.sending" : play.activity.value?.isPreview ? "state.preview" : "state.saved");
  return (
    <div class="progress" part="progress" data-cut-off={isCutOff || undefined}>
      <div class="row spread">
        <span>{say("state.answered", { done: number(answered), count: size })}</span>
        <span class="quiet state">{state}</span>
      </div>
      <progress max={size} value={answered} aria-label={say("state.progress")} />
    </div>
  );
}

function HandIn({ play }: { play: Play }) {
  const isAsking = useSignal(false);
  const left = play.questions.value.size - play.answered.value - play.waiting.value;
  if (play.finishing.value) {
    return (
      <p class="said" data-result="sending">
        {say(play.isCutOff.value || !isOnline.value ? "finish.kept" : "finish.now")}
      </p>
    );
  }
  return (
    <div class="hand-in">
      <p class="quiet">{left ? say("finish.left", { count: left }) : say("finish.all")}</p>
      <button type="button" class="button primary" onClick={() => (isAsking.value = true)}>
        {say("finish.action")}
      </button>
      {isAsking.value && (
        <Confirmation
          title={say("finish.title")}
          body={left ? say("finish.body_left", { count: left }) : say("finish.body")}
          action={say("finish.action")}
          onConfirm={() => play.finish()}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </div>
  );
}

function Outcome({ attempt: { points, maxPoints, toJudge } }: { attempt: Attempt }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.focus();
    box.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div class="outcome" part="outcome" tabIndex={-1} ref={box}>
      <h2>{say("done.title")}</h2>
      <p class="amount">{say("done.points", { points: number(points), count: maxPoints })}</p>
      {toJudge > 0 && <p class="quiet">{say("done.to_judge", { count: toJudge })}</p>}
      <p class="quiet">{say("done.note")}</p>
    </div>
  );
}
