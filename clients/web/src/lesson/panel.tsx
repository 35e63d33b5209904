/** The lesson panel: a teacher's lessons, courses and reports. */

import css from "../../styles/lesson.css?text";
import { useStyles } from "../app/styles.js";
import type { Connection } from "../firebase/connection.js";
import { text } from "../text/locale.js";
import { CoursePage, Courses } from "./courses.js";
import { MissionEditor } from "./editor.js";
import { Missions } from "./missions.js";
import { Report } from "./report.js";
import { Room } from "./room.js";
import { say } from "./texts.js";

export interface PanelProps {
  connection: Connection;
  /**
   * Show another part: `new`, `courses`, `practice`, or `edit`, `report`, `course`, `lesson`, `session`
   * with an id after a full stop.
   */
  go: (at: string, options?: { isSame?: boolean }) => void;
  /** Called when a lesson was saved. */
  onSaved?: ((missionId: string) => void) | undefined;
  /** Called when a session starts or ends. */
  onSession?: ((sessionId: string, status: string) => void) | undefined;
}

export function LessonPanel({ at, ...common }: PanelProps & { at: string }) {
  useStyles(css);
  const [part = "", id = ""] = at.split(/\.(.*)/s);
  const { go } = common;
  // A teacher may start a session of their own lesson, to try it.
  if (part === "lesson" || part === "session") return <Room {...common} at={at} />;
  const isOfCourses = part === "courses" || part === "course";
  return (
    <div class="page lesson">
      <div class="row spread lesson-wide">
        <h1>{text("lesson.title")}</h1>
        <nav class="choice" aria-label={say("lesson.parts")}>
          <Tab name={say("missions.title")} isCurrent={!isOfCourses} onClick={() => go("")} />
          <Tab name={say("courses.title")} isCurrent={isOfCourses} onClick={() => go("courses")} />
        </nav>
      </div>
      {(part === "new" || part === "edit") && <MissionEditor {...common} {...(id && { id })} />}
      {part === "report" && id && <Report key={id} {...common} id={id} />}
      {part === "course" && id && <CoursePage key={id} {...common} id={id} />}
      {part === "courses" && <Courses {...common} />}
      {!["new", "edit", "report", "course", "courses"].includes(part) && <Missions {...common} />}
    </div>
  );
}

function Tab({ name, isCurrent, onClick }: { name: string; isCurrent: boolean; onClick: () => void }) {
  return (
    <button class="lesson-tab" aria-current={isCurrent ? "page" : undefined} onClick={onClick}>
      {name}
    </button>
  );
}
