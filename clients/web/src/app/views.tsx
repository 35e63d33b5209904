/** The views of the app, in the order of the menu. A new one is a line here. */

import type { ComponentType } from "preact";

import { Chat } from "../chat/chat.js";
import type { Connection } from "../firebase/connection.js";
import type { Key } from "../text/locale.js";
import { ICONS } from "./icon.js";
import { lazy } from "./lazy.js";

export interface View {
  id: string;
  title: Key;
  /** The path of its icon, 24 by 24. */
  icon: string;
  component: ComponentType<{ connection: Connection }>;
  /** Who may open it, by their role; everybody where it says nothing. */
  roles?: readonly string[];
}

export const VIEWS: readonly View[] = [
  {
    id: "chat",
    title: "chat.title",
    icon: "M4 5h16v11H9l-5 4z",
    component: Chat,
  },
  {
    id: "inbox",
    title: "inbox.title",
    icon: ICONS.shield,
    component: lazy(() => import("../approvals/inbox.js").then(({ Inbox }) => Inbox)),
  },
  {
    id: "activity",
    title: "activity.title",
    icon: "M5 4h14v16H5zM9 9h6M9 13l1.500 1.500L14 12",
    component: lazy(() => import("../activity/view.js").then(({ ActivityView }) => ActivityView)),
    roles: ["student", "teacher", "admin"],
  },
  {
    id: "results",
    title: "results.title",
    icon: "M4 20h16M7 16v-4M12 16V6M17 16v-7",
    component: lazy(() => import("../activity/results.js").then(({ Results }) => Results)),
    roles: ["teacher", "admin"],
  },
  {
    id: "lesson",
    title: "lesson.title",
    icon: "M3 6l9-3 9 3-9 3zM6 8v6c0 2 12 2 12 0V8M21 6v7",
    roles: ["student", "teacher", "admin"],
    component: lazy(() => import("../lesson/lesson.js").then(({ LessonView }) => LessonView)),
  },
  {
    id: "usage",
    title: "usage.title",
    icon: "M5 20V10M12 20V4M19 20v-7",
    component: lazy(() => import("../account/usage.js").then(({ Usage }) => Usage)),
  },
  {
    id: "settings",
    title: "settings.title",
    icon: "M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M6 14v6",
    component: lazy(() => import("../account/settings.js").then(({ Settings }) => Settings)),
  },
];
