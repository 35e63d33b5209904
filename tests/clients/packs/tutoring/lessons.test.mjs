// A lesson in English and one in Hebrew with the JavaScript client, from start_session to the
// summary: a teacher configures and reads, a student talks. The model is a script, the recording of
// the demo; functions, rules and documents are real.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";

import { createUserWithEmailAndPassword, signInWithEmailAndPassword } from "firebase/auth";
import {
  collection,
  deleteDoc,
  doc,
  getDoc,
  getDocs,
  orderBy,
  query,
  setDoc,
  updateDoc,
  where,
} from "firebase/firestore";
import { getFunctions } from "firebase/functions";

import { Rollcall } from "../../../../clients/js/src/index.js";
import { letAsk, model, served } from "../../js_support.mjs";
import { App, DEMO, denied, promote, seed } from "../../support.mjs";

const RECORDING = new URL("../../../../dev/recorded/tutor.json", import.meta.url);
const PAST = "I like cake.";

describe("lessons with a tutor", () => {
  const teacher = new App("tutor-teacher");
  const student = new App("tutor-student");
  let uid;
  let fn;
  let script;
  let rollcall;

  before(async () => {
    await seed();
    const recording = JSON.parse(await readFile(RECORDING, "utf8"));
    const fact = { category: "preference", fact: "likes cake" };
    recording[PAST] = [
      { calls: [{ name: "update_user_profile", arguments: fact }] },
      { text: "So do I!" },
    ];
    script = await model((messages) => {
      const last = messages.findLastIndex(({ role }) => role === "user");
      const done = messages.slice(last).filter(({ role }) => role === "assistant").length;
      const said = JSON.stringify(messages[last].content);
      const known = Object.keys(recording).find((text) =>
        said.includes(JSON.stringify(text).slice(1, -1)),
      );
      const { text, calls = [] } = recording[known][done];
      return { text, calls: calls.map(({ name, arguments: args }) => ({ name, args })) };
    });
    fn = await served(script.url);
    await signInWithEmailAndPassword(teacher.auth, DEMO.email, DEMO.password);
    const email = `t${Date.now()}@rollcall.example`;
    const { user } = await createUserWithEmailAndPassword(student.auth, email, "water-lemons");
    uid = user.uid;
    await promote(uid, "student");
    await user.getIdToken(true);
    await letAsk(uid);
    const place = { uid, name: "תלמידה", schemaVersion: 1 };
    await setDoc(doc(teacher.db, `courses/languages/students/${uid}`), place);
    const functions = getFunctions(student.app, `http://127.0.0.1:${fn.port}`);
    rollcall = new Rollcall({ functions, firestore: student.db, auth: student.auth });
  });
  after(async () => {
    await Promise.all([teacher.close(), student.close()]);
    fn?.close();
    script?.close();
  });

  /** Take a lesson; return its session and the calls of each message. */
  async function take(missionId, locale, messages) {
    const { sessionId, continued } = await student.call("start_session", { missionId });
    assert.equal(continued, false);
    const calls = [];
    let threadId;
    for (const message of messages) {
      const context = { sessionId };
      const run = rollcall.run({ agent: "tutor", message, locale, threadId, context });
      const result = await run.result;
      threadId = result.threadId;
      calls.push(result.toolCalls.map(({ tool, status }) => `${tool} ${status}`));
    }
    return { sessionId, threadId, calls };
  }

  test("one in English does its tasks, marks an error and ends in a summary", async () => {
    const { sessionId, calls } = await take("cafe", "en", [
      "Hello! I am ready.",
      "A coffee, please. Yesterday I goed to a café too.",
      PAST,
      "I had a cake. What does the coffee cost? I must go, goodbye!",
    ]);
    assert.deepEqual(calls, [
      [],
      ["mark_for_review done", "mark_task_complete done"],
      ["update_user_profile done"],
      ["mark_task_complete done", "mark_task_complete done", "show_session_summary done"],
    ]);
    const { summary, status } = (await getDoc(doc(student.db, `sessions/${sessionId}`))).data();
    assert.deepEqual(summary.improvements, ['The past of "go": went']);
    assert.equal(status, "open");
    const { tasksDone } = await student.call("end_session", { sessionId });
    assert.deepEqual(tasksDone, ["ask-price", "order-drink", "tell-past"]);
    const { items } = await student.call("list_review_items", {});
    assert.deepEqual(
      items.map(({ original, correction }) => [original, correction]),
      [["I goed to a café", "I went to a café"]],
    );
  });

  test("one in Hebrew is prompted in Hebrew, and is reported to its teacher alone", async () => {
    const { sessionId, calls } = await take("shuk", "he", [
      "שלום! אני רוצה שתי תפוח",
      "כמה זה עולה? תודה ולהתראות!",
    ]);
    assert.deepEqual(calls, [
      ["mark_for_review done", "mark_task_complete done"],
      ["mark_task_complete done", "show_session_summary done"],
    ]);
    const system = JSON.stringify(script.asked.at(-1)[0]);
    assert.match(system, /אתה מוכר פירות בשוק/);
    assert.match(system, /יש לקרוא לה רק בסוף/);
    const report = await teacher.call("session_report", { sessionId });
    assert.deepEqual(report.itemsByType, { grammar: 1 });
    assert.ok(report.tasks.every(({ isDone }) => isDone));
    assert.equal(report.student, uid);
    await assert.rejects(student.call("session_report", { sessionId }), {
      code: "functions/permission-denied",
    });
  });

  test("a teacher follows sessions by the rules, and facts only once the student shares them", async () => {
    const given = await getDocs(
      query(
        collection(teacher.db, "sessions"),
        where("teacherUid", "==", "demo"),
        where("courseId", "==", "languages"),
        orderBy("startedAt", "desc"),
      ),
    );
    const own = given.docs.filter((each) => each.get("uid") === uid);
    assert.deepEqual(
      own.map((each) => each.get("mission.title")),
      ["בשוק", "At the café"],
    );
    const facts = (app) =>
      getDocs(
        query(
          collection(app.db, `profiles/${uid}/facts`),
          where("teacherUid", "==", "demo"),
          where("shared", "==", true),
        ),
      );
    assert.equal((await facts(teacher)).size, 0);
    const [kept] = (await getDocs(collection(student.db, `profiles/${uid}/facts`))).docs;
    await updateDoc(kept.ref, { shared: true });
    assert.equal((await facts(teacher)).docs[0].get("fact"), "likes cake");
    await denied(deleteDoc(doc(teacher.db, kept.ref.path)));
    await deleteDoc(kept.ref);
    assert.equal((await facts(teacher)).size, 0);
  });
});
