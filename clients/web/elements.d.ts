// The types of dist/elements/rollcall.js.

import type { Auth } from "firebase/auth";
import type { Firestore } from "firebase/firestore";
import type { Functions } from "firebase/functions";

/** The Firebase of the page, of one app. */
export interface HostFirebase {
  auth: Auth;
  functions: Functions;
  firestore: Firestore;
  /** The deployment's `ROLLCALL_PREFIX`. */
  prefix?: string;
}

/** Give the page's Firebase to all elements that are given none of their own. */
export function useFirebase(firebase: HostFirebase): void;

/** Attributes: `agent`, `thread`, `context` (a JSON object), `locale`. Slots: `welcome`, `signed-out`. */
export class ChatElement extends HTMLElement {
  firebase: HostFirebase | undefined;
}

/** Attributes: `locale`. Slots: `empty`, `signed-out`. */
export class ApprovalsElement extends HTMLElement {
  firebase: HostFirebase | undefined;
}

/**
 * An activity, for pupils to play and their teachers to try; without `content`, the list of those
 * that there are. Attributes: `content`, `locale`. Slots: `empty`, `signed-out`.
 */
export class ActivityElement extends HTMLElement {
  firebase: HostFirebase | undefined;
}

/**
 * The lesson panel for who teaches, the lesson room for who learns. Attributes: `mission` (the lesson
 * that is opened), `locale`. Slot: `signed-out`.
 */
export class LessonElement extends HTMLElement {
  firebase: HostFirebase | undefined;
}

declare global {
  interface HTMLElementTagNameMap {
    "rollcall-activity": ActivityElement;
    "rollcall-chat": ChatElement;
    "rollcall-approvals": ApprovalsElement;
    "rollcall-lesson": LessonElement;
  }
  interface HTMLElementEventMap {
    /** The chat's conversation has a thread: `thread` to come back to it with. */
    "rollcall-thread": CustomEvent<{ threadId: string }>;
    "rollcall-state": CustomEvent<{
      state: "sending" | "running" | "waiting" | "done" | "cancelled" | "failed";
      runId: string;
    }>;
    /** How many approvals wait for the user. */
    "rollcall-count": CustomEvent<{ count: number }>;
    "rollcall-decided": CustomEvent<{ id: string; approved: boolean }>;
    /** How far the pupil is; `points` and `maxPoints` once it is handed in. */
    "rollcall-progress": CustomEvent<{
      contentId: string;
      status: "open" | "finished";
      answered: number;
      questions: number;
      points?: number;
      maxPoints?: number;
    }>;
    /** A teacher has saved a lesson. */
    "rollcall-lesson": CustomEvent<{ missionId: string }>;
    /** The session that a pupil is in, and whether it goes on. */
    "rollcall-session": CustomEvent<{ sessionId: string; status: "open" | "ended" }>;
  }
}
