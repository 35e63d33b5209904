/** Lessons: the panel for teachers and the room for pupils, each loaded on use. */

import { lazy } from "../app/lazy.js";
import { navigate, route } from "../app/route.js";
import type { Connection } from "../firebase/connection.js";
import type { PanelProps } from "./panel.js";

type PartProps = PanelProps & { at: string };

const Panel = lazy<PartProps>(() => import("./panel.js").then(({ LessonPanel }) => LessonPanel));
const Room = lazy<PartProps>(() => import("./room.js").then(({ Room }) => Room));

export function Lessons(props: PartProps) {
  const role = props.connection.role.value;
  if (role === "teacher" || role === "admin") return <Panel {...props} />;
  return role === "student" ? <Room {...props} /> : null;
}

export function LessonView({ connection }: { connection: Connection }) {
  const show = (at: string, options?: { isSame?: boolean }) =>
    navigate({ view: "lesson", ...(at && { id: at }) }, options);
  return <Lessons connection={connection} at={route.value.id ?? ""} go={show} />;
}
