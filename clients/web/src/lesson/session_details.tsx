/** One session whole, for its teacher: each task with what showed it, and the summary. */

import type { RollcallError } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { ProblemNote } from "../chat/problem_note.js";
import { problemOf } from "../chat/problems.js";
import type { Connection } from "../firebase/connection.js";
import { text } from "../text/locale.js";
import { call } from "./calls.js";
import type { Followed, Summary, Task } from "./stored.js";
import { SummaryCard } from "./summary.js";
import { say } from "./texts.js";

/** What `session_report` says. */
interface SessionReport {
  tasks: (Task & { isDone: boolean; evidence?: string | null })[];
  items: { itemId: string; original: string; correction: string; explanation?: string | null }[];
  summary?: Summary | null;
}

export function SessionDetails({ connection, id }: { connection: Connection; id: string }) {
  const report = useSignal<Followed<SessionReport>>({});
  useEffect(() => {
    call<SessionReport>(connection, "session_report", { sessionId: id }).then(
      (value) => (report.value = { value }),
      (problem: RollcallError) => (report.value = { problem }),
    );
  }, []);
  const { value, problem } = report.value;
  if (problem) return <ProblemNote problem={problemOf(problem)} />;
  if (!value) return <p class="quiet">{text("app.loading")}</p>;
  return (
    <div class="session-details">
      {value.tasks.length > 0 && (
        <ul>
          {value.tasks.map(({ id: task, text: words, isDone, evidence }) => (
            <li key={task}>
              <bdi>{words}</bdi>: {say(isDone ? "task.done" : "task.open")}
              {evidence && <blockquote dir="auto">{evidence}</blockquote>}
            </li>
          ))}
        </ul>
      )}
      {value.items.map(({ itemId, original, correction, explanation }) => (
        <p class="item" key={itemId}>
          <del dir="auto">{original}</del>
          <ins dir="auto">{correction}</ins>
          {explanation && <span class="quiet" dir="auto">{explanation}</span>}
        </p>
      ))}
      {value.summary && <SummaryCard summary={value.summary} />}
    </div>
  );
}
