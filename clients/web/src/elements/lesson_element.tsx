/** `<rollcall-lesson mission locale>`: the lesson panel for teachers, the lesson room for pupils. */

import { useState } from "preact/hooks";

import type { Connection } from "../firebase/connection.js";
import { Lessons } from "../lesson/lesson.js";
import { text } from "../text/locale.js";
import { Pages, RollcallElement } from "./element.js";

interface LessonProps {
  connection: Connection;
  mission: string | null;
  tell: (name: string, detail: object) => void;
}

export class LessonElement extends RollcallElement {
  static readonly observedAttributes = ["mission", "locale"];

  protected view(connection: Connection) {
    const { mission = null } = this.attributesNow.value;
    const tell = (name: string, detail: object) => this.tell(name, detail);
    return <LessonsView key={mission} connection={connection} mission={mission} tell={tell} />;
  }
}

function LessonsView({ connection, mission, tell }: LessonProps) {
  const role = connection.role.value;
  const [opened, go] = useState<string | undefined>(undefined);
  const first = mission ? `${role === "student" ? "lesson" : "edit"}.${mission}` : "";
  const at = opened ?? first;
  if (role === undefined) return <p class="quiet loading">{text("app.loading")}</p>;
  if (role === "user") return <p class="quiet loading">{text("app.not_yours")}</p>;
  return (
    <Pages page={at} name={text("lesson.title")}>
      <Lessons
        connection={connection}
        at={at}
        go={(to) => go(to)}
        onSaved={(missionId) => tell("rollcall-lesson", { missionId })}
        onSession={(sessionId, status) => tell("rollcall-session", { sessionId, status })}
      />
    </Pages>
  );
}
