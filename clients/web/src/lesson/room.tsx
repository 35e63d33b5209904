/** The lesson room: a pupil's lessons, and the one that they are in. */

import type { RollcallError } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { collection, type Firestore, limit, query, where } from "firebase/firestore";
import { useEffect } from "preact/hooks";

import { ProblemNote } from "../chat/problem_note.js";
import { problemOf } from "../chat/problems.js";
import type { Connection } from "../firebase/connection.js";
import { locale, text, when } from "../text/locale.js";
import { call } from "./calls.js";
import { Listed } from "./listed.js";
import type { PanelProps } from "./panel.js";
import { Practice } from "./practice.js";
import { isOver, SessionRoom } from "./session_room.js";
import { type Followed, type Session, type Task, useDocuments } from "./stored.js";
import { minutes, say } from "./texts.js";

/** A lesson as `list_lessons` tells it. */
interface ListedLesson {
  missionId: string;
  course: string;
  title: string;
  level: string;
  durationMinutes: number;
  tasks: Task[];
}

export function Room({ at, ...common }: PanelProps & { at: string }) {
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
  const lessons = useSignal<Followed<ListedLesson[]>>({});
  const sessions = useDocuments<Session>(connection, `own sessions ${uid}`, sessionsOf(uid)).value.value ?? [];
  useEffect(() => {
    call<{ lessons: ListedLesson[] }>(connection, "list_lessons", {}).then(
      (found) => (lessons.value = { value: found.lessons }),
      (problem: RollcallError) => (lessons.value = { problem }),
    );
  }, [locale.value]);
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
      <Listed followed={lessons.value} empty={say("room.empty")}>
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
      </Listed>
      {over.length > 0 && (
        <section>
          <h2>{say("room.past")}</h2>
          <ul class="lesson-list">
            {over.map(({ id, mission, startedAt }) => (
              <li key={id}>
                <button class="lesson-row" onClick={() => go(`session.${id}`)}>
                  <strong dir="auto">{mission.title}</strong>
                  <span class="quiet">{when(startedAt.toDate())}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Begins a session of a lesson, or comes back to the one that is open. */
function Start({ connection, go, missionId }: PanelProps & { missionId: string }) {
  const problem = useSignal<RollcallError | undefined>(undefined);
  const start = () => {
    problem.value = undefined;
    startSession(connection, missionId).then(
      (sessionId) => go(`session.${sessionId}`, { isSame: true }),
      (error: RollcallError) => (problem.value = error),
    );
  };
  useEffect(start, []);
  if (!problem.value) return <p class="quiet loading">{text("app.loading")}</p>;
  return (
    <div class="centred">
      <ProblemNote problem={problemOf(problem.value)} retry="app.try_again" onRetry={start} />
      <button class="button" onClick={() => go("")}>
        {say("room.back")}
      </button>
    </div>
  );
}

async function startSession(connection: Connection, missionId: string): Promise<string> {
  const callKey = crypto.randomUUID();
  const { sessionId } = await call<{ sessionId: string }>(connection, "start_session", { missionId }, { callKey });
  return sessionId;
}
