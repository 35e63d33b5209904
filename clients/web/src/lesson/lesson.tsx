/** Lessons: the panel for who teaches, the room for who learns; each is loaded by those alone. */

import { later } from "../app/later.js";
import { go, place } from "../app/place.js";
import type { Connection } from "../firebase/connection.js";
import type { PanelProps } from "./panel.js";

type PartProps = PanelProps & { at: string };

const Panel = later<PartProps>(() => import("./panel.js").then(({ LessonPanel }) => LessonPanel));
const Room = later<PartProps>(() => import("./room.js").then(({ Room }) => Room));

export function Lessons(props: PartProps) {
  const role = props.connection.role.value;
  if (role === "teacher" || role === "admin") return <Panel {...props} />;
  return role === "student" ? <Room {...props} /> : null;
}

export function LessonView({ connection }: { connection: Connection }) {
  const show = (at: string, options?: { isSame?: boolean }) =>
    go({ view: "lesson", ...(at && { id: at }) }, options);
  return <Lessons connection={connection} at={place.value.id ?? ""} go={show} />;
}
