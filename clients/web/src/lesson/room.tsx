/** The lesson room: a pupil's lessons, and the current session. */

import type { RollcallError } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { collection, type Firestore, limit, query, where } from "firebase/firestore";
import { useEffect } from "preact/hooks";

import css from "../../styles/lesson.css?text";
import { useStyles } from "../app/styles.js";
import { call } from "../firebase/calls.js";
import { RefusalNote } from "../school/refusal.js";
import { useCall } from "../school/use_call.js";
import { text, shortTime } from "../text/locale.js";
import { OwnFacts } from "./facts.js";
import { LoadableList } from "./loadable_list.js";
import type { PanelProps } from "./panel.js";
import { Practice } from "./practice.js";
import { isOver, SessionRoom } from "./session_room.js";
import { type Session, type Task, useDocuments } from "./documents.js";
import { minutes, say } from "./texts.js";

/** A lesson in the result of `list_lessons`. */
interface ListedLesson {
  missionId: string;
  course: string;
  title: string;
  level: string;
  durationMinutes: number;
  tasks: Task[];
}

export function Room({ at, ...common }: PanelProps & { at: string }) {
  useStyles(css);
  const [part, id] = at.split(/\.(.*)/s);
  if (part === "session" && id) return <SessionRoom key={id} {...common} id={id} />;
  if (part === "lesson" && id) return <Start key={id} {...common} missionId={id} />;
  return (
    <div class="page lesson">
      {part === "practice" ? (
        <>
          <button class="text-button" onClick={() => common.go("")}>
            {say("room.back")}
          </button>
          <h1>{say("practice.title")}</h1>
          <Practice connection={common.connection} />
          <OwnFacts connection={common.connection} />
        </>
      ) : (
        <LessonList {...common} />
      )}
    </div>
  );
}

const sessionsOf = (uid: string) => (db: Firestore) =>
  query(collection(db, "sessions"), where("uid", "==", uid), limit(200));

function LessonList({ connection, go }: PanelProps) {
  const { uid } = connection;
  const [lessons] = useCall<{ lessons: ListedLesson[] }>(connection, "list_lessons", {});
  const { value: listed, problem } = lessons.value;
  const sessions = useDocuments<Session>(connection, `own sessions ${uid}`, sessionsOf(uid)).value.value ?? [];
  const open = (missionId: string) => sessions.find((each) => each.missionId === missionId && !isOver(each, new Date()));
  const over = sessions
    .filter((each) => isOver(each, new Date()))
    .sort((one, other) => other.startedAt.toMillis() - one.startedAt.toMillis());
  return (
    <>
      <div class="row spread lesson-wide">
        <h1>{text("lesson.title")}</h1>
        <button class="button" onClick={() => go("practice")}>
          {say("practice.title")}
        </button>
      </div>
      <LoadableList found={{ value: listed?.lessons, problem }} empty={say("room.empty")}>
        {(found) => (
          <ul class="lesson-list">
            {found.map(({ missionId, course, title, level, durationMinutes, tasks }) => (
              <li key={missionId} class="mission">
                <div class="grow">
                  <strong dir="auto">{title}</strong>
                  <span class="quiet mission-about">
                    <bdi>{course}</bdi>
                    <span>{level}</span>
                    <span>{minutes(durationMinutes)}</span>
                    {tasks.length > 0 && <span>{say("room.tasks", { count: tasks.length })}</span>}
                  </span>
                </div>
                <button class="button primary" onClick={() => go(`lesson.${missionId}`)}>
                  {say(open(missionId) ? "room.go_on" : "room.start")}
                  <span class="visually-hidden">: {title}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </LoadableList>
      {over.length > 0 && (
        <section>
          <h2>{say("room.past")}</h2>
          <ul class="lesson-list">
            {over.map(({ id, mission, startedAt }) => (
              <li key={id}>
                <button class="lesson-row" onClick={() => go(`session.${id}`)}>
                  <strong dir="auto">{mission.title}</strong>
                  <span class="quiet">{shortTime(startedAt.toDate())}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Starts a session of a lesson, or returns to the open one. */
function Start({ connection, go, missionId }: PanelProps & { missionId: string }) {
  const problem = useSignal<RollcallError | undefined>(undefined);
  const start = () => {
    problem.value = undefined;
    call<{ sessionId: string }>(connection, "start_session", { missionId }, { callKey: crypto.randomUUID() }).then(
      ({ sessionId }) => go(`session.${sessionId}`, { isSame: true }),
      (error: RollcallError) => (problem.value = error),
    );
  };
  useEffect(start, []);
  if (!problem.value) return <p class="quiet loading">{text("app.loading")}</p>;
  return (
    <div class="centred">
      <RefusalNote error={problem.value} onRetry={start} />
      <button class="button" onClick={() => go("")}>
        {say("room.back")}
      </button>
    </div>
  );
}
