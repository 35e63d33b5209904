// The platform's collections: read by their owner, written by functions.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";

import {
  collection,
  deleteField,
  doc,
  getDoc,
  getDocs,
  query,
  serverTimestamp,
  setDoc,
  updateDoc,
  where,
} from "firebase/firestore/lite";

import { allowed, denied, testPermissions } from "./support.mjs";

const THREAD = {
  schemaVersion: 1,
  uid: "ana",
  agent: "messaging",
  title: "Priorities",
  status: "active",
  context: '{"projectId":"house"}',
  place: { projectId: "house" },
  lease: null,
  messageCount: 2,
};

const DOCUMENTS = {
  "capabilities/get_priority_messages": { id: "get_priority_messages", status: "active" },
  "agents/messaging": { id: "messaging", status: "active" },
  "threads/t1": THREAD,
  "threads/bens": { ...THREAD, uid: "ben" },
  "threads/t1/messages/000001": { uid: "ana", role: "user", text: "What is urgent?" },
  "threads/t1/runs/r1": { uid: "ana", status: "done", step: 2 },
  "threads/t1/runs/r1/events/000001": { uid: "ana", events: [] },
  "threads/t1/views/window": { uid: "ana", messages: [] },
  "effects/e1": { uid: "ana", tool: "send_message" },
  "audit/x1": { uid: "ana", what: "run" },
  "budgets/ana": { uid: "ana", costUsd: 0.1 },
  "runs/k1": { uid: "ana", key: "k1", threadId: "t1" },
  "erasures/ana": { uid: "ana" },
  "registry/manifest": { uid: "ana", digest: "0" },
  "registry/health": { uid: "ana", records: "{}" },
  "registry/usage-2026-11-21": { uid: "ana", records: "{}" },
  "healthSamples/h1": { uid: "ana", counts: "{}" },
  "ratings/t1~r1": { uid: "ana", rating: "up", comment: "Good" },
  "unheardOf/x1": { uid: "ana" },
};

const MINE = [where("uid", "==", "ana")];

export default function platform(rules) {
  describe("platform", () => {
    before(() => rules.seed(DOCUMENTS));

    const admins = { get: ["admin"], list: ["admin"], listAll: ["admin"] };
    const owner = { get: ["ana"], list: ["ana"] };
    testPermissions(rules, "capabilities/get_priority_messages", { may: admins });
    testPermissions(rules, "agents/messaging", { may: admins });
    testPermissions(rules, "threads/t1", {
      may: { ...owner, update: ["ana"] },
      filter: MINE,
      created: (person) => ({ ...THREAD, uid: person }),
      change: { title: "What is urgent" },
    });
    testPermissions(rules, "threads/t1/messages/000001", { may: owner, filter: MINE });
    testPermissions(rules, "threads/t1/runs/r1", { may: owner, filter: MINE });
    testPermissions(rules, "threads/t1/runs/r1/events/000001", { may: owner, filter: MINE });
    testPermissions(rules, "threads/t1/views/window", { filter: MINE });
    testPermissions(rules, "effects/e1", { filter: MINE });
    testPermissions(rules, "audit/x1", { filter: MINE });
    testPermissions(rules, "budgets/ana", { filter: MINE });
    testPermissions(rules, "runs/k1", { filter: MINE });
    testPermissions(rules, "erasures/ana", { filter: MINE });
    testPermissions(rules, "registry/manifest", { filter: MINE });
    testPermissions(rules, "registry/health", { filter: MINE });
    testPermissions(rules, "registry/usage-2026-11-21", { filter: MINE });
    testPermissions(rules, "healthSamples/h1", { filter: MINE });
    testPermissions(rules, "ratings/t1~r1", {
      may: owner,
      filter: MINE,
      created: (person) => ({ uid: person, rating: "up" }),
      change: { rating: "down" },
    });
    testPermissions(rules, "unheardOf/x1", { filter: MINE });
  });

  describe("a thread", () => {
    before(() => rules.seed(DOCUMENTS));
    const thread = (who) => doc(rules.as(who), "threads/t1");
    const changes = (fields) => updateDoc(thread("ana"), fields);

    test("is renamed and archived by its owner, and taken back", async () => {
      await allowed(changes({ title: "x".repeat(200), status: "archived" }));
      await allowed(changes({ status: "active" }));
      assert.deepEqual(await rules.read("threads/t1"), { ...THREAD, title: "x".repeat(200) });
    });

    test("takes a title of 1 to 200 characters", async () => {
      for (const title of ["", "x".repeat(201), 7, null, ["a"], { a: 1 }, true, deleteField()]) {
        await denied(changes({ title }));
      }
    });

    test("takes no other status", async () => {
      for (const status of ["Archived", "deleted", "", 1, null, ["active"], deleteField()]) {
        await denied(changes({ status }));
      }
    });

    test("keeps what the server wrote", async () => {
      for (const field of ["uid", "agent", "context", "lease", "messageCount", "schemaVersion"]) {
        await denied(changes({ [field]: "ben" }));
        await denied(changes({ [field]: deleteField(), title: "With a new title" }));
      }
      await denied(changes({ updatedAt: serverTimestamp() }));
      await denied(changes({ "context.role": "admin" }));
      await denied(setDoc(thread("ana"), { title: "All else gone" }));
    });

    test("has its calls taken once, by its owner", async () => {
      const waiting = { runId: "r1", calls: ["c1"], clientId: "c", until: null };
      const takenBy = { runId: "r1", place: "p1" };
      const take = (fields) => changes({ "waiting.takenBy": fields });
      await denied(take(takenBy)); // it waits for nothing
      await rules.seed({ ...DOCUMENTS, "threads/t1": { ...THREAD, waiting } });
      await denied(updateDoc(thread("eve"), { "waiting.takenBy": takenBy }));
      for (const wrong of [
        { ...takenBy, runId: "r2" },
        { ...takenBy, place: "" },
        { ...takenBy, place: "p".repeat(65) },
        { ...takenBy, place: 1 },
        { ...takenBy, more: 1 },
        { runId: "r1" },
        "p1",
        null,
      ]) {
        await denied(take(wrong));
      }
      await denied(changes({ "waiting.takenBy": takenBy, title: "With a new title" }));
      await denied(changes({ "waiting.takenBy": takenBy, "waiting.until": 1 }));
      await denied(changes({ waiting: { takenBy } }));
      await denied(changes({ waiting: deleteField() }));
      await allowed(take(takenBy));
      await allowed(take(takenBy)); // once more by who has them
      await denied(take({ ...takenBy, place: "p2" }));
      await denied(changes({ "waiting.takenBy": deleteField() }));
      const stored = { ...THREAD, waiting: { ...waiting, takenBy } };
      assert.deepEqual(await rules.read("threads/t1"), stored);
      const none = { ...THREAD, waiting: { ...waiting, calls: [] } };
      await rules.seed({ ...DOCUMENTS, "threads/t1": none });
      await denied(take(takenBy)); // approvals alone
      await rules.seed(DOCUMENTS);
    });

    test("cannot be taken over or given away", async () => {
      await denied(updateDoc(thread("eve"), { uid: "eve" }));
      await denied(updateDoc(thread("eve"), { uid: "eve", title: "Mine now" }));
      await denied(changes({ uid: "eve" }));
    });

    test("that is not there looks like one of another's", async () => {
      await denied(getDoc(doc(rules.as("ana"), "threads/none")));
      await denied(getDoc(doc(rules.as("ana"), "threads/bens")));
      await denied(updateDoc(doc(rules.as("ana"), "threads/none"), { title: "New" }));
    });

    test("is not found through a filter that leaves others in", async () => {
      const threads = collection(rules.as("ana"), "threads");
      const filters = [
        where("uid", "in", ["ana", "ben"]),
        where("uid", "!=", "eve"),
        where("uid", ">=", ""),
        where("agent", "==", "messaging"),
      ];
      for (const filter of filters) await denied(getDocs(query(threads, filter)));
    });

    test("is listed by the project it is about, and nobody else's with it", async () => {
      const house = where("place.projectId", "==", "house");
      const own = (who) => [house, where("uid", "==", who)];
      const listed = async (who, filters) =>
        (await getDocs(query(collection(rules.as(who), "threads"), ...filters))).docs.map((d) => d.id);
      assert.deepEqual(await listed("ana", own("ana")), ["t1"]);
      await denied(listed("ana", [house]));
      await denied(listed("eve", own("ana")));
    });

    test("has parts that are listed by owner", async () => {
      const parts = ["threads/t1/messages", "threads/t1/runs", "threads/t1/runs/r1/events"];
      for (const path of parts) {
        const found = await allowed(getDocs(query(collection(rules.as("ana"), path), ...MINE)));
        assert.equal(found.size, 1, path);
        await denied(getDocs(query(collection(rules.as("ana"), path), where("uid", "==", "ben"))));
      }
    });
  });
}
