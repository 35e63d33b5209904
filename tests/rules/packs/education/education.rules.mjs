// The education pack: courses and prompts are kept from the app, material and pupils' work are
// written by functions alone, and keys are nobody's.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";

import {
  arrayRemove,
  arrayUnion,
  collection,
  deleteDoc,
  doc,
  getDoc,
  getDocs,
  query,
  serverTimestamp,
  setDoc,
  updateDoc,
  where,
} from "firebase/firestore/lite";

import { PEOPLE, allowed, denied, testPermissions } from "../../support.mjs";

const WHEN = new Date("2026-11-01");
const COURSE = {
  name: "Math",
  subject: "math",
  grade: "ד",
  teacherIds: ["teacher", "ana"],
  createdAt: WHEN,
  schemaVersion: 1,
};
const CONTENT = { uid: "teacher", title: "Fractions", status: "published", courseId: "math" };
const PROMPT = {
  uid: "teacher",
  title: "A test",
  text: "Write a test about …",
  category: "דפי עבודה",
  shared: false,
  tenant: "north",
  createdAt: WHEN,
  schemaVersion: 1,
};
const SHARED = { ...PROMPT, uid: "zoe", shared: true };
const DOCUMENTS = {
  "courses/math": COURSE,
  "courses/math/students/ben": { uid: "ben", name: "Ben", schemaVersion: 1 },
  "courses/theirs": { ...COURSE, teacherIds: ["zoe"] },
  "courses/theirs/students/zik": { uid: "zik", name: "Zik", schemaVersion: 1 },
  "contents/shown": CONTENT,
  "contents/shown/blocks/shown-001": { kind: "open", stem: "?" },
  "contents/shown/keys/shown-001": { sample: "!" },
  "contents/draft": { ...CONTENT, status: "draft", courseId: null },
  "contents/draft/blocks/draft-001": { kind: "open", stem: "?" },
  "contents/draft/keys/draft-001": { sample: "!" },
  "contents/theirs": { ...CONTENT, uid: "zoe", courseId: "theirs" },
  "contents/theirs/blocks/theirs-001": { kind: "open", stem: "?" },
  "attempts/bens": { uid: "ben", courseId: "math", points: 3 },
  "attempts/theirs": { uid: "zik", courseId: "theirs", points: 3 },
  "curriculumStandards/s1": { subject: "math", statement: { he: "made up" } },
  "prompts/own": PROMPT,
  "prompts/shared": SHARED,
  "prompts/private": { ...SHARED, shared: false },
  "prompts/south": { ...SHARED, tenant: "south" },
  "promptRatings/shared_ana": { promptId: "shared", uid: "ana", stars: 4, schemaVersion: 1 },
};
const TEACHERS = ["teacher", "ana"];
const SIGNED_IN = Object.keys(PEOPLE).filter((who) => PEOPLE[who] !== null);

export default function education(rules) {
  const at = (who, path) => doc(rules.as(who), path);

  describe("education", () => {
    before(() => rules.seed(DOCUMENTS));

    testPermissions(rules, "courses/math", {
      may: {
        get: [...TEACHERS, "ben"],
        list: ["ana"],
        update: TEACHERS,
        create: ["teacher", "admin"],
      },
      filter: [where("teacherIds", "array-contains", "ana")],
      created: (who) => ({ ...COURSE, teacherIds: [who], createdAt: serverTimestamp() }),
      change: { name: "Math, grade 4" },
    });
    testPermissions(rules, "courses/math/students/ben", {
      may: {
        get: [...TEACHERS, "ben"],
        list: TEACHERS,
        listAll: TEACHERS,
        update: TEACHERS,
        create: TEACHERS,
        delete: TEACHERS,
      },
      created: () => ({ uid: "new", name: "Noa", schemaVersion: 1 }),
      change: { name: "Benny" },
    });
    testPermissions(rules, "contents/draft", { may: { get: ["teacher"] }, change: { status: "published" } });
    testPermissions(rules, "contents/shown", { may: { get: TEACHERS }, change: { status: "draft" } });
    testPermissions(rules, "contents/draft/blocks/draft-001", {
      may: { get: ["teacher"], list: ["teacher"], listAll: ["teacher"] },
    });
    testPermissions(rules, "contents/shown/blocks/shown-001", {
      may: { get: TEACHERS, list: TEACHERS, listAll: TEACHERS },
    });
    testPermissions(rules, "contents/shown/keys/shown-001", {});
    testPermissions(rules, "contents/draft/keys/draft-001", {});
    testPermissions(rules, "attempts/bens", {
      may: { get: [...TEACHERS, "ben"], list: TEACHERS },
      filter: [where("courseId", "==", "math")],
      change: { points: 100 },
    });
    testPermissions(rules, "curriculumStandards/s1", {
      may: { get: SIGNED_IN, list: SIGNED_IN, listAll: SIGNED_IN },
    });
    testPermissions(rules, "prompts/own", {
      may: { get: ["teacher"], update: ["teacher"], delete: ["teacher"], create: ["teacher", "admin"] },
      created: (who) => ({
        ...PROMPT,
        uid: who,
        tenant: PEOPLE[who]?.tenant ?? null,
        createdAt: serverTimestamp(),
      }),
      change: { text: "Write another", shared: true },
    });
    testPermissions(rules, "promptRatings/shared_ana", {
      may: { get: ["ana"], delete: ["ana"] },
      change: { stars: 1 },
    });

    test("another teacher's course, material, pupils and their work are closed", async () => {
      for (const path of Object.keys(DOCUMENTS).filter((each) => each.includes("theirs"))) {
        for (const who of ["teacher", "ana", "ben", "admin"]) await denied(getDoc(at(who, path)));
      }
    });

    test("each lists what is the own, and no more", async () => {
      const own = (who, name, field = "uid") =>
        getDocs(query(collection(rules.as(who), name), where(field, "==", who)));
      assert.equal((await allowed(own("teacher", "contents"))).size, 2);
      assert.equal((await allowed(own("ben", "attempts"))).size, 1);
      assert.equal((await allowed(own("teacher", "prompts"))).size, 1);
      await denied(getDocs(collection(rules.as("teacher"), "contents")));
      await denied(getDocs(collection(rules.as("ben"), "attempts")));
    });

    test("teachers bring others in and leave, and send nobody away", async () => {
      const course = at("ana", "courses/math");
      await allowed(updateDoc(course, { teacherIds: arrayUnion("dov") }));
      await denied(updateDoc(course, { teacherIds: arrayRemove("teacher") }));
      await denied(updateDoc(course, { teacherIds: ["ana"] }));
      await denied(updateDoc(course, { teacherIds: ["ana", "teacher", "dov"] }));
      await denied(updateDoc(course, { teacherIds: [] }));
      await denied(updateDoc(course, { teacherIds: arrayUnion("a/b") }));
      await denied(updateDoc(course, { teacherIds: arrayUnion(7) }));
      const many = Array.from({ length: 20 }, (_, n) => `t${n}`);
      await denied(updateDoc(course, { teacherIds: arrayUnion(...many) }));
      await denied(updateDoc(course, { teacherIds: ["teacher", "ana", "dov", "dov"] }));
      await denied(updateDoc(course, { teacherIds: arrayUnion("eve"), name: "Two at once" }));
      await allowed(updateDoc(course, { teacherIds: arrayRemove("ana") }));
      await denied(getDoc(course));
      await rules.seed({ "courses/math": { ...COURSE, teacherIds: ["ana"] } });
      await denied(updateDoc(course, { teacherIds: [] }));
      await rules.seed(DOCUMENTS);
    });

    test("nobody joins, renames or makes anew a course whose last teacher was erased", async () => {
      await rules.seed({
        "courses/left": { teacherIds: [], schemaVersion: 1 },
        "attempts/left": { uid: "zik", courseId: "left", points: 3 },
      });
      for (const who of Object.keys(PEOPLE)) {
        const made = { ...COURSE, teacherIds: [who], createdAt: serverTimestamp() };
        await denied(setDoc(at(who, "courses/left"), made));
        await denied(updateDoc(at(who, "courses/left"), { teacherIds: arrayUnion(who) }));
        await denied(updateDoc(at(who, "courses/left"), { name: "Mine" }));
        await denied(deleteDoc(at(who, "courses/left")));
        const place = { uid: who, name: "Me", schemaVersion: 1 };
        await denied(setDoc(at(who, `courses/left/students/${who}`), place));
        for (const path of ["courses/left", "attempts/left"]) await denied(getDoc(at(who, path)));
      }
      await rules.seed(DOCUMENTS);
    });

    test("a course is what the functions can read", async () => {
      for (const change of [
        { name: "" },
        { name: 7 },
        { subject: "magic" },
        { grade: "4" },
        { createdAt: WHEN, schemaVersion: 2 },
        { color: "red" },
      ]) {
        await denied(updateDoc(at("ana", "courses/math"), change));
      }
      const made = { ...COURSE, teacherIds: ["teacher"], createdAt: serverTimestamp() };
      for (const wrong of [
        { teacherIds: ["teacher", "ana"] },
        { teacherIds: ["zoe"] },
        { createdAt: WHEN },
        { schemaVersion: 2 },
        { color: "red" },
        { name: "" },
      ]) {
        await denied(setDoc(at("teacher", "courses/mine"), { ...made, ...wrong }));
      }
    });

    test("a pupil's place is under the pupil's id, with a name and no more", async () => {
      const place = { uid: "new", name: "Noa", schemaVersion: 1 };
      for (const wrong of [{ uid: "zik" }, { name: "" }, { schemaVersion: 2 }, { grade: 100 }]) {
        await denied(setDoc(at("ana", "courses/math/students/new"), { ...place, ...wrong }));
      }
      await denied(updateDoc(at("ana", "courses/math/students/ben"), { uid: "zik" }));
      await denied(updateDoc(at("ben", "courses/math/students/ben"), { name: "Ben the Great" }));
    });

    test("a shared prompt is read by the teachers of its tenant", async () => {
      await allowed(getDoc(at("teacher", "prompts/shared")));
      const shared = [where("shared", "==", true), where("tenant", "==", "north")];
      const list = (who) => getDocs(query(collection(rules.as(who), "prompts"), ...shared));
      assert.equal((await allowed(list("teacher"))).size, 1);
      for (const who of ["ana", "admin", "guest", "signedOut"]) {
        await denied(getDoc(at(who, "prompts/shared")));
        await denied(list(who));
      }
      for (const id of ["private", "south"]) await denied(getDoc(at("teacher", `prompts/${id}`)));
    });

    test("a prompt is what the functions can read, and the own", async () => {
      for (const wrong of [
        { uid: "zoe" },
        { tenant: "south" },
        { title: "" },
        { text: "x".repeat(8001) },
        { category: "אחר" },
        { shared: "yes" },
        { schemaVersion: 2 },
        { stars: 5 },
      ]) {
        await denied(updateDoc(at("teacher", "prompts/own"), wrong));
      }
      await denied(updateDoc(at("teacher", "prompts/own"), { createdAt: new Date() }));
      const made = { ...PROMPT, createdAt: serverTimestamp() };
      await denied(setDoc(at("teacher", "prompts/a b"), made));
      await denied(setDoc(at("teacher", "prompts/late"), { ...made, createdAt: WHEN }));
    });

    test("a teacher rates once what a colleague shared, and not the own", async () => {
      const rating = { promptId: "shared", uid: "teacher", stars: 5, schemaVersion: 1 };
      const own = at("teacher", "promptRatings/shared_teacher");
      for (const wrong of [
        { stars: 0 },
        { stars: 6 },
        { stars: 2.5 },
        { uid: "zoe" },
        { schemaVersion: 2 },
        { why: "nice" },
        { promptId: "own" },
      ]) {
        await denied(setDoc(own, { ...rating, ...wrong }));
      }
      await allowed(setDoc(own, rating));
      await allowed(updateDoc(own, { stars: 2 }));
      await denied(setDoc(at("teacher", "promptRatings/other"), rating));
      for (const id of ["own", "private", "south", "none"]) {
        const of = { ...rating, promptId: id };
        await denied(setDoc(at("teacher", `promptRatings/${id}_teacher`), of));
      }
      const anas = { ...rating, uid: "ana" };
      await denied(setDoc(at("ana", "promptRatings/shared_ana"), anas));
      await allowed(deleteDoc(own));
    });
  });
}
