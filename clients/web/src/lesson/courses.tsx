/** A teacher's courses, and the pupils of one. */

import { useSignal } from "@preact/signals";
import {
  addDoc,
  collection,
  deleteDoc,
  type Firestore,
  serverTimestamp,
  setDoc,
} from "firebase/firestore";
import { useState } from "preact/hooks";

import { Confirmation } from "../app/confirmation.js";
import { Icon } from "../app/icon.js";
import type { Connection } from "../firebase/connection.js";
import { toastRefusal } from "../school/refusal.js";
import { TextField } from "./field.js";
import { LoadableList } from "./loadable_list.js";
import type { PanelProps } from "./panel.js";
import { type Course, coursesOf, document, type Pupil, pupilsOf, useDocument, useDocuments } from "./documents.js";
import { say } from "./texts.js";

const NAME_CHARS = 120;
const UID_CHARS = 128;

export function Courses({ connection, go }: PanelProps) {
  const { uid } = connection;
  const courses = useDocuments<Course>(connection, `courses ${uid}`, coursesOf(uid)).value;
  const [name, setName] = useState("");
  const add = async () => {
    const course = { name: name.trim(), teacherIds: [uid], createdAt: serverTimestamp(), schemaVersion: 1 };
    const added = await written(connection, (db) => addDoc(collection(db, "courses"), course));
    if (added) go(`course.${added.id}`);
  };
  return (
    <>
      <LoadableList found={courses} empty={say("courses.empty")}>
        {(found) => (
          <ul class="lesson-list">
            {found.sort(byName).map((course) => (
              <li key={course.id}>
                <button class="lesson-row" onClick={() => go(`course.${course.id}`)}>
                  <strong dir="auto">{course.name}</strong>
                  <Icon path="M9 6l6 6-6 6" />
                </button>
              </li>
            ))}
          </ul>
        )}
      </LoadableList>
      <form
        class="lesson-inline"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) void add();
        }}
      >
        <TextField name={say("courses.new")} value={name} maxChars={NAME_CHARS} onInput={setName} />
        <button class="button" disabled={!name.trim()}>
          {say("courses.add")}
        </button>
      </form>
    </>
  );
}

export function CoursePage({ connection, id, go }: PanelProps & { id: string }) {
  const course = useDocument<Course>(connection, `course ${id}`, document("courses", id)).value;
  const pupils = useDocuments<Pupil>(connection, `pupils ${id}`, pupilsOf(id)).value;
  const wanted = useSignal("");
  const leaving = useSignal<Pupil | undefined>(undefined);
  const [pupil, setPupil] = useState({ uid: "", name: "" });
  const isWhole = pupil.uid.trim() && pupil.name.trim();
  const add = async () => {
    const [uid, name] = [pupil.uid.trim(), pupil.name.trim()];
    const isDone = await written(connection, async (db) => {
      await setDoc(document("courses", id, "students", uid)(db), { uid, name, schemaVersion: 1 });
      return true;
    });
    if (isDone) setPupil({ uid: "", name: "" });
  };
  const remove = ({ id: uid }: Pupil) =>
    void written(connection, (db) => deleteDoc(document("courses", id, "students", uid)(db)));
  return (
    <>
      <button class="text-button" onClick={() => go("courses")}>
        {say("courses.all")}
      </button>
      <h2 dir="auto">{course.value?.name}</h2>
      <LoadableList found={pupils} empty={say("pupils.empty")}>
        {(all) => {
          const found = all.filter(({ name }) => name.toLowerCase().includes(wanted.value.trim().toLowerCase()));
          return (
            <>
              <div class="row spread lesson-wide">
                <p class="quiet">{say("pupils.count", { count: all.length })}</p>
                <label class="lesson-search">
                  <span class="visually-hidden">{say("pupils.search")}</span>
                  <input
                    type="search"
                    placeholder={say("pupils.search")}
                    onInput={(event) => (wanted.value = event.currentTarget.value)}
                  />
                </label>
              </div>
              <ul class="lesson-list pupils" aria-label={say("pupils.title")}>
                {found.sort(byName).map((each) => (
                  <li key={each.id} class="pupil">
                    <span dir="auto">{each.name}</span>
                    <button class="icon-button small" onClick={() => (leaving.value = each)}>
                      <Icon name="close" />
                      <span class="visually-hidden">{say("pupils.remove", { name: each.name })}</span>
                    </button>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </LoadableList>
      <form
        class="lesson-inline"
        onSubmit={(event) => {
          event.preventDefault();
          if (isWhole) void add();
        }}
      >
        <TextField
          name={say("pupils.name")}
          value={pupil.name}
          maxChars={NAME_CHARS}
          onInput={(name) => setPupil({ ...pupil, name })}
        />
        <TextField
          name={say("pupils.uid")}
          note={say("pupils.uid.note")}
          dir="ltr"
          value={pupil.uid}
          maxChars={UID_CHARS}
          onInput={(uid) => setPupil({ ...pupil, uid })}
        />
        <button class="button" disabled={!isWhole}>
          {say("pupils.add")}
        </button>
      </form>
      {leaving.value && (
        <Confirmation
          title={say("pupils.remove", { name: leaving.value.name })}
          body={say("pupils.remove.note")}
          action={say("pupils.remove.do")}
          onConfirm={() => remove(leaving.value as Pupil)}
          onClose={() => (leaving.value = undefined)}
        />
      )}
    </>
  );
}

/** The result of a write; undefined if it was refused, which is shown. */
async function written<T>(connection: Connection, write: (db: Firestore) => Promise<T>): Promise<T | undefined> {
  try {
    const { db } = await connection.store();
    return await write(db);
  } catch (error) {
    toastRefusal(error);
    return undefined;
  }
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name.localeCompare(other.name);
}
