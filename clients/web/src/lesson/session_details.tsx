/** The details of a session for its teacher: each task with its evidence, and the summary. */

import type { Connection } from "../firebase/connection.js";
import { RefusalNote } from "../school/refusal.js";
import { useCall } from "../school/use_call.js";
import { text } from "../text/locale.js";
import { SharedFacts } from "./facts.js";
import type { Summary, Task } from "./documents.js";
import { SummaryCard } from "./summary.js";
import { say } from "./texts.js";

/** The result of `session_report`. */
interface SessionReport {
  tasks: (Task & { isDone: boolean; evidence?: string | null })[];
  items: { itemId: string; original: string; correction: string; explanation?: string | null }[];
  summary?: Summary | null;
}

export function SessionDetails({ connection, id, pupil }: { connection: Connection; id: string; pupil: string }) {
  const [report] = useCall<SessionReport>(connection, "session_report", { sessionId: id });
  const { value, problem } = report.value;
  if (problem) return <RefusalNote error={problem} />;
  if (!value) return <p class="quiet">{text("app.loading")}</p>;
  return (
    <div class="session-details">
      {value.tasks.length > 0 && (
        <ul>
          {value.tasks.map(({ id: task, text: words, isDone, evidence }) => (
            <li key={task}>
              <bdi>{words}</bdi>: {say(isDone ? "task.done" : "task.open")}
              {evidence && (
                <blockquote>
                  <bdi>{evidence}</bdi>
                </blockquote>
              )}
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
      <SharedFacts connection={connection} pupil={pupil} />
    </div>
  );
}
