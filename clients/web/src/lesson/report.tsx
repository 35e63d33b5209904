/** The report of a lesson: its sessions, their results, and the errors by type. */

import { useSignal } from "@preact/signals";

import { now, useClock } from "../approvals/clock.js";
import type { Connection } from "../firebase/connection.js";
import { RefusalNote } from "../school/refusal.js";
import { useCall } from "../school/use_call.js";
import { number, shortTime } from "../text/locale.js";
import { LoadableList } from "./loadable_list.js";
import type { PanelProps } from "./panel.js";
import { SessionDetails } from "./session_details.js";
import {
  type Completion,
  document,
  itemsOf,
  type Mission,
  ofMission,
  type Pupil,
  pupilsOf,
  type Session,
  type ReviewItem,
  useDocument,
  useDocuments,
} from "./documents.js";
import { minutes, say, sayOf } from "./texts.js";

/** A session in the result of `lesson_report`. */
interface SessionReport {
  sessionId: string;
  student: string;
  minutes: number;
  tasksDone: string[];
  itemsByType: Record<string, number>;
  sources: Record<string, number>;
  hasSummary: boolean;
}

interface LessonReport {
  title: string;
  tasks: number;
  sessions: SessionReport[];
}

export function Report({ connection, id, go }: PanelProps & { id: string }) {
  const { uid } = connection;
  const mission = useDocument<Mission>(connection, `mission ${id}`, document("missions", id)).value.value;
  const sessions = useDocuments<Session>(connection, `sessions ${id}`, ofMission("sessions", uid, id)).value;
  const done = useDocuments<Completion>(connection, `done ${id}`, ofMission("completions", uid, id)).value.value ?? [];
  const items = useDocuments<ReviewItem>(connection, `items ${id}`, itemsOf(uid, id)).value;
  // The report is computed on the server, and requested again when a session changes.
  const changed = sessions.value?.map((each) => [each.status, each.summary !== null]);
  const version = JSON.stringify([changed, done.length, items.value?.length]);
  const [reports] = useCall<LessonReport>(connection, "lesson_report", { missionId: id }, version);
  const { value: report, problem } = reports.value;
  return (
    <>
      <div class="row spread lesson-wide">
        <h2 dir="auto">{mission?.title ?? report?.title}</h2>
        <button class="button small" onClick={() => go(`edit.${id}`)}>
          {say("report.edit")}
        </button>
      </div>
      {problem && <RefusalNote error={problem} />}
      {report && <Figures report={report} />}
      <section>
        <h3>{say("report.sessions")}</h3>
        <LoadableList found={sessions} empty={say("report.no_sessions")}>
          {(found) => (
            <Sessions
              key={mission?.courseId}
              connection={connection}
              sessions={found}
              done={done}
              courseId={mission?.courseId ?? found[0]?.courseId}
              reports={new Map(report?.sessions.map((each) => [each.sessionId, each]))}
            />
          )}
        </LoadableList>
      </section>
      <section>
        <h3>{say("report.items")}</h3>
        <LoadableList found={items} empty={say("report.no_items")}>
          {(found) => <Items items={found} />}
        </LoadableList>
      </section>
    </>
  );
}

function Figures({ report: { sessions, tasks } }: { report: LessonReport }) {
  const total = (of: (session: SessionReport) => number) => sessions.reduce((sum, each) => sum + of(each), 0);
  const done = total(({ tasksDone }) => tasksDone.length);
  const figures = [
    [say("report.pupils"), number(new Set(sessions.map(({ student }) => student)).size)],
    [say("report.minutes"), number(total((each) => each.minutes))],
    ...(tasks
      ? [[say("report.tasks"), number(sessions.length ? done / (tasks * sessions.length) : 0, { style: "percent" })]]
      : []),
    [say("report.errors"), number(total(({ itemsByType }) => Object.values(itemsByType).reduce((a, b) => a + b, 0)))],
  ];
  return (
    <dl class="lesson-figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SessionsProps {
  connection: Connection;
  sessions: Session[];
  done: Completion[];
  courseId: string | null | undefined;
  reports: Map<string, SessionReport>;
}

function Sessions({ connection, sessions, done, courseId, reports }: SessionsProps) {
  useClock();
  const open = useSignal<string | undefined>(undefined);
  const key = `pupils ${courseId}`;
  const pupils = useDocuments<Pupil>(connection, key, pupilsOf(courseId ?? "none")).value.value;
  const names = new Map(pupils?.map(({ id, name }) => [id, name]));
  const shown = sessions.find(({ id }) => id === open.value);
  const newest = sessions.sort((one, other) => other.startedAt.toMillis() - one.startedAt.toMillis());
  return (
    <>
    <div class="table-frame" tabIndex={0} role="region" aria-label={say("report.sessions")}>
      <table>
        <thead>
          <tr>
            {(["pupil", "began", "state", "tasks", "errors", "source"] as const).map((each) => (
              <th key={each} scope="col">
                {say(`report.column.${each}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {newest.map((session) => {
            const report = reports.get(session.id);
            const byType = Object.entries(report?.itemsByType ?? {});
            const sources = Object.keys(report?.sources ?? {});
            return (
              <tr key={session.id}>
                <th scope="row">
                  <button
                    class="text-button"
                    aria-expanded={open.value === session.id}
                    onClick={() => (open.value = open.value === session.id ? undefined : session.id)}
                  >
                    <bdi>{names.get(session.uid) ?? say(session.uid === connection.uid ? "report.own" : "report.left")}</bdi>
                  </button>
                </th>
                <td>{shortTime(session.startedAt.toDate())}</td>
                <td>
                  <State session={session} minutes={report?.minutes} />
                </td>
                <td>
                  <bdi>
                    {number(done.filter(({ sessionId }) => sessionId === session.id).length)}/{number(session.mission.tasks.length)}
                  </bdi>
                </td>
                <td>
                  {byType.map(([type, count]) => `${sayOf(`item.${type}`)} ${number(count)}`).join(", ") || "–"}
                </td>
                <td>{sources.map((each) => sayOf(`source.${each}`)).join(", ") || "–"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
    {shown && <SessionDetails key={shown.id} connection={connection} id={shown.id} pupil={shown.uid} />}
    </>
  );
}

function State({ session, minutes: taken }: { session: Session; minutes: number | undefined }) {
  const left = Math.ceil((session.endsAt.toMillis() - Number(now.value)) / 60_000);
  if (session.status === "open" && left > 0) {
    return <span class="badge going">{say("report.going", { left: minutes(left) })}</span>;
  }
  return <>{taken === undefined ? say("report.over") : say("report.over.minutes", { minutes: minutes(taken) })}</>;
}

function Items({ items }: { items: ReviewItem[] }) {
  const types = [...new Set(items.map(({ errorType }) => errorType))];
  const byType = types.map((type) => [type, items.filter(({ errorType }) => errorType === type)] as const);
  const most = Math.max(...byType.map(([, found]) => found.length));
  return (
    <div class="items-by-type">
      {byType.map(([type, found]) => (
        <details key={type}>
          <summary>
            <span>{sayOf(`item.${type}`)}</span>
            <meter min={0} max={most} value={found.length} aria-label={sayOf(`item.${type}`)} />
            <span>{number(found.length)}</span>
          </summary>
          <ul class="lesson-list">
            {found.map((item) => (
              <li key={item.id} class="item">
                <del dir="auto">{item.original}</del>
                <ins dir="auto">{item.correction}</ins>
                <span class="quiet">{item.mastered ? say("report.mastered") : say("report.times", { count: item.count })}</span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}
