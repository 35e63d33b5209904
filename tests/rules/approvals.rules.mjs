// Approvals: read by who asked and by who may decide, decided once; and the devices that are told.

import assert from "node:assert/strict";
import { before, beforeEach, describe, test } from "node:test";

import {
  Timestamp,
  collection,
  deleteDoc,
  deleteField,
  doc,
  getDoc,
  getDocs,
  limit,
  orderBy,
  query,
  serverTimestamp,
  setDoc,
  updateDoc,
  where,
  writeBatch,
} from "firebase/firestore/lite";

import { PEOPLE, allowed, denied, testPermissions } from "./support.mjs";

const HOUR_MS = 3_600_000;
const EARLIER = Timestamp.fromMillis(Date.now() - HOUR_MS);
const LATER = Timestamp.fromMillis(Date.now() + HOUR_MS);
const SIGNED_IN = Object.keys(PEOPLE).filter((person) => PEOPLE[person] !== null);
const MINE = [where("uid", "==", "ana")];

/** Ana asked, and decides herself. */
const OWN = {
  schemaVersion: 1,
  uid: "ana",
  threadId: "t1",
  runId: "r1",
  turnId: "r1",
  agent: "messaging",
  callId: "call_1",
  tool: "send_message",
  version: 1,
  capabilityDigest: "d",
  arguments: '{"content":"Hi"}',
  argumentsDigest: "a",
  summary: "Send “Hi”",
  display: null,
  locale: "en",
  deciderUid: "ana",
  deciderRole: null,
  deciderRoles: [],
  tenant: null,
  status: "pending",
  createdAt: EARLIER,
  expiresAt: LATER,
  decision: null,
  effectKey: "k1",
};
const OF_ROLE = {
  ...OWN,
  deciderUid: null,
  deciderRole: "teacher",
  deciderRoles: ["teacher", "admin"],
};

const DOCUMENTS = {
  "approvals/own": OWN,
  "approvals/bens": { ...OWN, uid: "ben", deciderUid: "ben" },
  "approvals/named": { ...OWN, deciderUid: "ben" },
  "approvals/role": OF_ROLE,
  "approvals/north": { ...OF_ROLE, tenant: "north" },
  "approvals/south": { ...OF_ROLE, tenant: "south" },
  "approvals/teachersOwn": { ...OF_ROLE, uid: "teacher", tenant: "north" },
};

function decision(person, changes = {}) {
  return { approved: true, by: person, at: serverTimestamp(), ...changes };
}

function without(data, key) {
  const { [key]: _, ...rest } = data;
  return rest;
}

export default function approvals(rules) {
  const at = (who, id) => doc(rules.as(who), `approvals/${id}`);
  const decide = (who, id, changes) =>
    updateDoc(at(who, id), { decision: decision(who, changes) });
  const listed = async (who, ...filters) => {
    const found = await getDocs(query(collection(rules.as(who), "approvals"), ...filters));
    return found.docs.map(({ id }) => id).sort();
  };

  describe("approvals", () => {
    before(() => rules.seed(DOCUMENTS));

    testPermissions(rules, "approvals/own", {
      may: { get: ["ana"], list: ["ana"] },
      filter: MINE,
      created: (person) => ({ ...OWN, uid: person, deciderUid: person }),
      change: { summary: "Send “Bye”" },
    });
    testPermissions(rules, "approvals/role", {
      may: { get: ["ana", "admin"], list: ["ana"] },
      filter: MINE,
    });

    const readers = {
      own: ["ana"],
      named: ["ana", "ben"],
      role: ["ana", "admin"],
      north: ["ana", "teacher"],
      south: ["ana"],
      teachersOwn: ["teacher"],
    };
    for (const [id, people] of Object.entries(readers)) {
      test(`${id} is read by ${people.join(", ")} and nobody else`, async () => {
        for (const person of Object.keys(PEOPLE)) {
          const attempt = getDoc(at(person, id));
          await (people.includes(person) ? allowed(attempt) : denied(attempt));
        }
      });
    }

    test("that wait for somebody are listed by who decides", async () => {
      const pending = [where("status", "==", "pending"), orderBy("createdAt", "desc"), limit(20)];
      const bens = await listed("ben", where("deciderUid", "==", "ben"), ...pending);
      assert.deepEqual(bens, ["bens", "named"]);
      await denied(listed("eve", where("deciderUid", "==", "ben")));
      await denied(listed("ben", where("deciderUid", "in", ["ben", "ana"])));
      await denied(listed("ben", where("status", "==", "pending")));
    });

    test("that wait for a role are listed with the role and the tenant", async () => {
      const role = where("deciderRoles", "array-contains", "teacher");
      const north = where("tenant", "==", "north");
      const pending = [where("status", "==", "pending"), orderBy("createdAt", "desc"), limit(20)];
      assert.deepEqual(await listed("teacher", role, north, ...pending), ["north", "teachersOwn"]);
      const none = [where("deciderRoles", "array-contains", "admin"), where("tenant", "==", null)];
      assert.deepEqual(await listed("admin", ...none), ["role"]);
      await denied(listed("teacher", role, where("tenant", "==", null)));
      await denied(listed("teacher", role));
      await denied(listed("teacher", role, where("tenant", "==", "south")));
      await denied(listed("teacher", where("deciderRoles", "array-contains", "admin"), north));
      await denied(listed("admin", where("deciderRoles", "array-contains", "admin"), north));
      await denied(listed("ana", role, north));
      await denied(listed("signedOut", role, where("tenant", "==", null)));
    });
  });

  describe("a decision", () => {
    beforeEach(() => rules.seed(DOCUMENTS));

    const deciders = {
      own: ["ana"],
      named: ["ben"],
      role: ["admin"],
      north: ["teacher"],
      south: [],
      teachersOwn: [],
    };
    for (const [id, people] of Object.entries(deciders)) {
      test(`on ${id} is made by ${people.join(", ") || "none of these"}`, async () => {
        for (const person of Object.keys(PEOPLE)) {
          const attempt = decide(person, id);
          await (people.includes(person) ? allowed(attempt) : denied(attempt));
          if (people.includes(person)) await rules.restore();
        }
      });
    }

    test("is an approval or a rejection, with a reason or without", async () => {
      await allowed(decide("ana", "own", { approved: false, reason: "x".repeat(500) }));
      const { decision: stored, ...rest } = await rules.read("approvals/own");
      assert.equal(stored.approved, false);
      assert.equal(stored.by, "ana");
      assert.ok(stored.at.toMillis() > EARLIER.toMillis());
      assert.deepEqual(rest, without(OWN, "decision"));
    });

    test("has exactly what it needs, in its shape", async () => {
      for (const field of ["approved", "by", "at"]) {
        await denied(updateDoc(at("ana", "own"), { decision: without(decision("ana"), field) }));
      }
      const wrong = [
        { approved: "true" },
        { approved: 1 },
        { approved: null },
        { by: "ben" },
        { by: null },
        { at: LATER },
        { at: EARLIER },
        { at: null },
        { reason: "" },
        { reason: "x".repeat(501) },
        { reason: 7 },
        { reason: null },
        { reason: ["no"] },
        { remember: "src/**" },
        { editedArguments: { content: "Bye" } },
        { tool: "send_message" },
      ];
      for (const changes of wrong) await denied(decide("ana", "own", changes));
      for (const value of [null, true, "yes", [], {}, deleteField()]) {
        await denied(updateDoc(at("ana", "own"), { decision: value }));
      }
    });

    test("changes nothing else", async () => {
      const forged = {
        status: "approved",
        arguments: '{"content":"Bye"}',
        argumentsDigest: "b",
        capabilityDigest: "e",
        tool: "withdraw_message",
        version: 2,
        uid: "ben",
        deciderUid: "ben",
        deciderRoles: ["user"],
        tenant: "north",
        expiresAt: Timestamp.fromMillis(LATER.toMillis() + HOUR_MS),
        createdAt: serverTimestamp(),
        effectKey: "k2",
        runId: "r2",
        threadId: "t2",
        schemaVersion: 2,
        editedFrom: "a0",
      };
      for (const [field, value] of Object.entries(forged)) {
        await denied(updateDoc(at("ana", "own"), { [field]: value }));
        await denied(updateDoc(at("ana", "own"), { [field]: value, decision: decision("ana") }));
      }
      await denied(
        updateDoc(at("ana", "own"), { expiresAt: deleteField(), decision: decision("ana") }),
      );
      await denied(setDoc(at("ana", "own"), { decision: decision("ana") }));
    });

    test("is made once", async () => {
      await allowed(decide("ana", "own", { approved: false }));
      await denied(decide("ana", "own"));
      await denied(decide("ana", "own", { approved: false }));
      await denied(updateDoc(at("ana", "own"), { "decision.approved": true }));
      await denied(updateDoc(at("ana", "own"), { decision: null }));
      await denied(updateDoc(at("ana", "own"), { decision: deleteField() }));
    });

    test("of two deciders the first counts", async () => {
      await rules.seed({ "approvals/any": { ...OF_ROLE, deciderRoles: ["user", "admin"] } });
      await allowed(decide("ben", "any", { approved: false }));
      await denied(decide("admin", "any"));
      assert.equal((await rules.read("approvals/any")).decision.by, "ben");
    });

    test("is never the asker's where a role decides", async () => {
      await denied(decide("teacher", "teachersOwn"));
      await denied(decide("teacher", "teachersOwn", { by: "admin" }));
    });

    test("of a named decider is not made by a role beside it", async () => {
      const both = { ...OF_ROLE, tenant: "north", deciderUid: "ben" };
      await rules.seed({ "approvals/both": both });
      await denied(decide("teacher", "both"));
      await allowed(decide("ben", "both"));
    });

    test("is made on what is pending only", async () => {
      for (const status of ["approved", "rejected", "expired", "replaced", "Pending", null]) {
        await rules.seed({ "approvals/own": { ...OWN, status } });
        await denied(decide("ana", "own"));
      }
    });

    test("is not made after the expiry by the server's clock", async () => {
      const past = Timestamp.fromMillis(Date.now() - 1);
      await rules.seed({ "approvals/own": { ...OWN, expiresAt: past } });
      await denied(decide("ana", "own"));
      await denied(decide("ana", "own", { approved: false }));
      for (const expiresAt of [null, "2099-01-01", 4_102_444_800_000]) {
        await rules.seed({ "approvals/own": { ...OWN, expiresAt } });
        await denied(decide("ana", "own"));
      }
    });

    test("written offline and sent late is refused", async () => {
      // What an offline client queues carries the server's time of arrival, not its own.
      await rules.seed({
        "approvals/own": { ...OWN, expiresAt: Timestamp.fromMillis(Date.now() + 700) },
      });
      const queued = decision("ana");
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await denied(updateDoc(at("ana", "own"), { decision: queued }));
      const then = Timestamp.fromMillis(Date.now() - 500);
      await denied(updateDoc(at("ana", "own"), { decision: { ...queued, at: then } }));
      assert.equal((await rules.read("approvals/own")).decision, null);
    });

    test("comes for what there is, and deletes nothing", async () => {
      await denied(updateDoc(at("ana", "none"), { decision: decision("ana") }));
      await denied(deleteDoc(at("ana", "own")));
      const batch = writeBatch(rules.as("ana"));
      batch.update(at("ana", "own"), { decision: decision("ana") });
      batch.update(at("ana", "named"), { decision: decision("ana") });
      await denied(batch.commit());
    });
  });

  describe("a device", () => {
    const DEVICE = {
      schemaVersion: 1,
      uid: "ana",
      token: "t".repeat(160),
      platform: "web",
      createdAt: EARLIER,
    };
    before(() => rules.seed({ "devices/d1": DEVICE }));
    const device = (person, changes = {}) => ({
      ...DEVICE,
      uid: person,
      createdAt: serverTimestamp(),
      ...changes,
    });
    const register = (who, changes) => setDoc(doc(rules.as(who), "devices/new"), device(who, changes));

    testPermissions(rules, "devices/d1", {
      may: { get: ["ana"], list: ["ana"], create: SIGNED_IN, delete: ["ana"] },
      filter: MINE,
      created: (person) => device(person),
      change: { token: "another" },
    });

    test("is registered whole, for oneself, now", async () => {
      for (const field of Object.keys(DEVICE)) {
        await denied(setDoc(doc(rules.as("ana"), "devices/new"), without(device("ana"), field)));
      }
      const wrong = [
        { uid: "ben" },
        { token: "" },
        { token: "x".repeat(4097) },
        { token: 7 },
        { platform: "windows" },
        { platform: null },
        { createdAt: EARLIER },
        { schemaVersion: 2 },
        { locale: "fr" },
        { locale: null },
        { name: "My phone" },
      ];
      for (const changes of wrong) await denied(register("ana", changes));
      for (const id of ["x".repeat(65), "a.b", "מכשיר"]) {
        await denied(setDoc(doc(rules.as("ana"), `devices/${id}`), device("ana")));
      }
      await allowed(register("ana", { token: "x".repeat(4096), locale: "he", platform: "ios" }));
      await rules.restore();
    });

    test("carries a role and a tenant only as they are claimed, and both", async () => {
      const wrong = [
        ["ana", { role: "teacher", tenant: null }],
        ["ana", { role: "admin", tenant: null }],
        ["ana", { role: "user", tenant: "north" }],
        ["ana", { role: "user" }],
        ["ana", { tenant: null }],
        ["teacher", { role: "admin", tenant: "north" }],
        ["teacher", { role: "teacher", tenant: "south" }],
        ["teacher", { role: "teacher", tenant: null }],
        ["teacher", { role: "teacher" }],
      ];
      for (const [who, changes] of wrong) await denied(register(who, changes));
      await allowed(register("teacher", { role: "teacher", tenant: "north" }));
      await rules.restore();
      await allowed(register("ana", { role: "user", tenant: null }));
      await rules.restore();
    });
  });
}
