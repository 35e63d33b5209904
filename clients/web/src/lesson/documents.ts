/** Documents of lessons and courses in Firestore, and hooks that watch them. */

import type { RollcallError } from "@rollcall/client";
import { type Signal, useSignal } from "@preact/signals";
import {
  collection,
  doc,
  type DocumentReference,
  type Firestore,
  limit,
  onSnapshot,
  query,
  type Query,
  type Timestamp,
  where,
} from "firebase/firestore";
import { useEffect } from "preact/hooks";

import type { Connection } from "../firebase/connection.js";
import type { Loadable } from "../school/use_call.js";
import type { ToolConfiguration } from "./configuration.js";

const MAX_LISTED = 500;

export interface Task {
  id: string;
  text: string;
}

export interface Course {
  id: string;
  name: string;
  teacherIds: string[];
}

export interface Pupil {
  id: string;
  name: string;
}

/** The fields of a mission, which a session copies. */
export interface LessonFields {
  title: string;
  conversationPrompt: string;
  level: string;
  durationMinutes: number;
  tasks: Task[];
  lessonType: string;
  locale: string;
  toolConfiguration?: ToolConfiguration;
}

export interface Mission extends LessonFields {
  id: string;
  courseId: string | null;
  updatedAt?: Timestamp;
}

export interface Summary {
  strengths: string[];
  improvements: string[];
  encouragement: string | null;
}

export interface Session {
  id: string;
  uid: string;
  missionId: string;
  courseId: string | null;
  mission: LessonFields;
  threadId: string | null;
  status: "open" | "ended";
  startedAt: Timestamp;
  endsAt: Timestamp;
  endedAt: Timestamp | null;
  summary: Summary | null;
}

/** A task that was done in a session. */
export interface Completion {
  id: string;
  sessionId: string;
  taskId: string;
}

export interface ReviewItem {
  id: string;
  uid: string;
  errorType: string;
  original: string;
  correction: string;
  count: number;
  mastered: boolean;
}

/** A fact that a tutor stored about a pupil; the teacher sees it if the pupil shares it. */
export interface Fact {
  id: string;
  category: string;
  fact: string;
  shared: boolean;
}

/** An empty result from the cache is unknown until the server confirms it, which only changes metadata. */
const FROM_SERVER = { includeMetadataChanges: true };

/** Watch the documents of a query while the component is mounted; `key` identifies the query. */
export function useDocuments<T extends { id: string }>(
  connection: Connection,
  key: string,
  of: (db: Firestore) => Query,
): Signal<Loadable<T[]>> {
  return useListener(connection, key, (db, next, fail) =>
    onSnapshot(
      of(db),
      FROM_SERVER,
      ({ docs, metadata }) => {
        if (docs.length || !metadata.fromCache) {
          next(docs.map((each) => ({ ...each.data(), id: each.id }) as unknown as T));
        }
      },
      fail,
    ),
  );
}

/** Watch one document; the value is null if it does not exist. */
export function useDocument<T extends { id: string }>(
  connection: Connection,
  key: string,
  of: (db: Firestore) => DocumentReference,
): Signal<Loadable<T | null>> {
  return useListener(connection, key, (db, next, fail) =>
    onSnapshot(
      of(db),
      FROM_SERVER,
      (each) => {
        if (each.exists()) next({ ...each.data(), id: each.id } as T);
        else if (!each.metadata.fromCache) next(null);
      },
      fail,
    ),
  );
}

/** Codes that end a listener for good; after others it is restarted. */
const LASTING = new Set(["permission-denied", "unauthenticated", "invalid-argument", "failed-precondition", "not-found"]);
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

function useListener<T>(
  connection: Connection,
  key: string,
  watch: (db: Firestore, next: (value: T) => void, fail: (error: Error) => void) => () => void,
): Signal<Loadable<T>> {
  const found = useSignal<Loadable<T>>({});
  useEffect(() => {
    let stop = () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wait = FIRST_WAIT_MS;
    found.value = {};
    const next = (value: T) => {
      found.value = { value };
      wait = FIRST_WAIT_MS;
    };
    const fail = (error: unknown) => {
      const problem = error as RollcallError;
      found.value = { problem };
      if (LASTING.has(problem.code)) return;
      timer = setTimeout(begin, wait);
      wait = Math.min(2 * wait, MAX_WAIT_MS);
    };
    const begin = () => {
      stop = connection.use(({ db }, signal) => signal.addEventListener("abort", watch(db, next, fail)), fail);
    };
    begin();
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [connection, key]);
  return found;
}

export const coursesOf = (uid: string) => (db: Firestore) =>
  query(collection(db, "courses"), where("teacherIds", "array-contains", uid), limit(MAX_LISTED));

export const pupilsOf = (courseId: string) => (db: Firestore) =>
  query(collection(db, "courses", courseId, "students"), limit(2 * MAX_LISTED));

export const missionsOf = (uid: string) => (db: Firestore) =>
  query(collection(db, "missions"), where("teacherUid", "==", uid), limit(MAX_LISTED));

/** The `sessions` or `completions` of a lesson, for its teacher. */
export const ofMission = (name: string, uid: string, missionId: string) => (db: Firestore) =>
  query(
    collection(db, name),
    where("teacherUid", "==", uid),
    where("missionId", "==", missionId),
    limit(MAX_LISTED),
  );

/** The review items of a lesson, for its teacher. */
export const itemsOf = (uid: string, missionId: string) => (db: Firestore) =>
  query(
    collection(db, "reviewItems"),
    where("teacherUid", "==", uid),
    where("missionIds", "array-contains", missionId),
    limit(MAX_LISTED),
  );

/** The tasks that a pupil completed in a session. */
export const completionsOf = (uid: string, sessionId: string) => (db: Firestore) =>
  query(collection(db, "completions"), where("uid", "==", uid), where("sessionId", "==", sessionId));

/** The facts about a pupil: all for the pupil, the shared ones for a teacher. */
export const factsOf = (pupil: string, teacher?: string) => (db: Firestore) => {
  const isShared = teacher ? [where("teacherUid", "==", teacher), where("shared", "==", true)] : [];
  return query(collection(db, "profiles", pupil, "facts"), ...isShared, limit(MAX_LISTED));
};

export const document = (...path: [string, ...string[]]) => (db: Firestore) => doc(db, ...path);
