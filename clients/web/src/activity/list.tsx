/** The list of activities: of the user's courses, and a teacher's drafts. */

import css from "../../styles/activity.css?text";
import { Icon } from "../app/icon.js";
import { useStyles } from "../app/styles.js";
import type { Connection } from "../firebase/connection.js";
import { Line } from "../markdown/prose.js";
import { RefusalNote } from "../school/refusal.js";
import { useCall } from "../school/use_call.js";
import { number, text, shortTime } from "../text/locale.js";
import { type Key, say } from "./texts.js";
import type { Activities, ActivitySummary } from "./wire.js";

export interface ListProps {
  connection: Connection;
  onOpen: (contentId: string) => void;
}

export function ActivityList({ connection, onOpen }: ListProps) {
  useStyles(css);
  const [found, load] = useCall<Activities>(connection, "list_activities", {});
  const { value: known, problem } = found.value;
  const courses = new Map(known?.courses.map(({ courseId, name }) => [courseId, name]));
  return (
    <div class="page play">
      <h1>{text("activity.title")}</h1>
      {problem && <RefusalNote error={problem} onRetry={load} />}
      {!known && !problem && <p class="quiet loading">{text("app.loading")}</p>}
      {known && !known.activities.length && <EmptyList known={known} />}
      {known &&
        groups(known).map(({ title, activities }) => (
          <section key={title} class="activities" aria-labelledby={`group-${title}`}>
            <h2 id={`group-${title}`}>{say(title)}</h2>
            <ul>
              {activities.map((activity) => (
                <li key={activity.contentId}>
                  <button type="button" class="activity" onClick={() => onOpen(activity.contentId)}>
                    <Icon name={activity.attempt?.status === "finished" ? "check" : "file"} />
                    <span class="grow">
                      <Line class="activity-title">{activity.title}</Line>
                      <span class="quiet about">
                        <span>{say(`kind.${activity.kind as "activity"}`)}</span>
                        {activity.courseId && <bdi>{courses.get(activity.courseId)}</bdi>}
                        <span>{shortTime(new Date(activity.updatedAt))}</span>
                      </span>
                    </span>
                    <Stage activity={activity} />
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      {known && !known.isAll && <p class="quiet">{say("list.newest", { count: known.activities.length })}</p>}
    </div>
  );
}

/** Drafts, what waits for the pupil or is published, and what was handed in; empty groups are left out. */
function groups({ activities, courses }: Activities): { title: Key; activities: ActivitySummary[] }[] {
  const isTaught = new Set(courses.filter(({ role }) => role === "teacher").map(({ courseId }) => courseId));
  const groupOf = ({ status, courseId, attempt }: ActivitySummary): Key => {
    if (status === "draft") return "list.drafts";
    if (courseId && isTaught.has(courseId)) return "list.published";
    return attempt?.status === "finished" ? "list.done" : "list.open";
  };
  const titles: Key[] = ["list.open", "list.drafts", "list.published", "list.done"];
  return titles
    .map((title) => ({ title, activities: activities.filter((each) => groupOf(each) === title) }))
    .filter(({ activities }) => activities.length);
}

function Stage({ activity: { attempt } }: { activity: ActivitySummary }) {
  if (!attempt) return null;
  const { status, answered, questions, points, maxPoints } = attempt;
  return (
    <span class="stage" data-status={status}>
      {status === "finished"
        ? say("stage.finished", { points: number(points), count: maxPoints })
        : say("stage.open", { done: number(answered), count: questions })}
    </span>
  );
}

/** Explains why the list is empty. */
function EmptyList({ known: { courses } }: { known: Activities }) {
  const isTeacher = courses.some(({ role }) => role === "teacher");
  const names = courses.map(({ name }) => name).join(", ");
  return (
    <div class="activities-empty">
      <slot name="empty">
        <h2>{say("empty.title")}</h2>
        {!courses.length && <p>{say("empty.no_course")}</p>}
        {courses.length > 0 && <p>{say(isTeacher ? "empty.teacher" : "empty.pupil", { names })}</p>}
      </slot>
    </div>
  );
}
