// A teacher's dialogue in Hebrew with the JavaScript client, from a question to a file, and on to a
// pupil who answers. No model takes part.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { createUserWithEmailAndPassword, signInWithEmailAndPassword } from "firebase/auth";
import { doc, getDoc, setDoc } from "firebase/firestore";

import { Rollcall } from "../../../../clients/js/src/index.js";
import { App, DEMO, denied, promote, seed } from "../../support.mjs";

describe("a teacher's dialogue in Hebrew", () => {
  const teacher = new App("teacher");
  const pupil = new App("pupil");
  let rollcall;
  let threadId;
  let contentId;

  before(async () => {
    await seed();
    await promote("demo", "teacher");
    await signInWithEmailAndPassword(teacher.auth, DEMO.email, DEMO.password);
    const { functions, db: firestore, auth } = teacher;
    rollcall = new Rollcall({ functions, firestore, auth });
    const email = `p${Date.now()}@rollcall.example`;
    const { user } = await createUserWithEmailAndPassword(pupil.auth, email, "water-lemons");
    await promote(user.uid, "student");
    await user.getIdToken(true);
    const place = { uid: user.uid, name: "תלמידה", schemaVersion: 1 };
    await setDoc(doc(teacher.db, `courses/math4/students/${user.uid}`), place);
  });
  after(() => Promise.all([teacher.close(), pupil.close()]));

  async function say(message) {
    const run = rollcall.run({ agent: "education", message, locale: "he", threadId });
    const result = await run.result;
    threadId = result.threadId;
    return result;
  }

  test("a question about the curriculum is answered from what is stored, with its source", async () => {
    const { toolCalls, citations } = await say("מה תוכנית הלימודים דורשת במתמטיקה בכיתה ד?");
    assert.deepEqual(
      toolCalls.map(({ tool, arguments: given, status }) => [tool, given, status]),
      [["search_curriculum", { subject: "math", gradeLevel: "ד" }, "done"]],
    );
    assert.ok(citations.length > 3);
    for (const { url, title } of citations) {
      assert.match(url, /^https:\/\/matana\.education\.gov\.il\//);
      assert.match(title, /כיתה|ד\/מתמטיקה/);
    }
  });

  test("a worksheet is made at once, and its file opens", async () => {
    const { toolCalls, type } = await say("צרי לי דף עבודה על שברים לכיתה ד");
    assert.equal(type, "action");
    const [{ tool, arguments: given, files, result }] = toolCalls;
    assert.equal(tool, "generate_static_content");
    assert.deepEqual(given, { contentType: "worksheet", topic: "שברים", grade: "ד" });
    contentId = result.contentId;
    const pdf = files.find(({ contentType }) => contentType === "application/pdf");
    const file = await rollcall.file(pdf.fileId);
    assert.equal(file.size, pdf.bytes);
    assert.equal(Buffer.from(await file.arrayBuffer()).subarray(0, 5).toString(), "%PDF-");
    const stored = await getDoc(doc(teacher.db, `contents/${contentId}`));
    assert.equal(stored.data().status, "draft");
  });

  test("a pupil opens it once it is published, and gets answers checked", async () => {
    await assert.rejects(pupil.call("get_activity", { arguments: { contentId } }), {
      code: "functions/permission-denied",
    });
    await teacher.call("publish_content", { arguments: { contentId, courseId: "math4" } });
    const { blocks } = await pupil.call("get_activity", { arguments: { contentId } });
    assert.ok(blocks.length > 3 && !JSON.stringify(blocks).includes('"correct"'));
    const { attemptId } = await pupil.call("start_attempt", { arguments: { contentId } });
    // The problems are drawn at random; one of ten about fractions is always a text with a gap.
    const { blockId } = blocks.find(({ kind }) => kind === "cloze");
    const answer = { arguments: { attemptId, blockId, answer: { 1: "1000" } }, callKey: "first" };
    const checked = await pupil.call("answer_block", answer);
    assert.equal(checked.correct, false);
    assert.deepEqual(await pupil.call("answer_block", answer), checked); // once per callKey
    await denied(getDoc(doc(pupil.db, `contents/${contentId}/keys/${blockId}`)));
    await denied(getDoc(doc(teacher.db, `contents/${contentId}/keys/${blockId}`)));
    const done = await pupil.call("finish_attempt", { arguments: { attemptId } });
    assert.equal(done.status, "finished");
  });

  test("what was made is found again", async () => {
    const { toolCalls } = await say("מצאי את דף העבודה על שברים שיצרתי");
    const [{ tool, result }] = toolCalls;
    assert.equal(tool, "search_user_content");
    assert.ok(result.contents.some((each) => each.contentId === contentId));
  });
});
