// The electrical pack's projects: read by those who are in them, renamed by owners, and otherwise
// written by functions alone.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";

import {
  arrayUnion,
  collection,
  deleteField,
  doc,
  getDoc,
  getDocs,
  query,
  setDoc,
  updateDoc,
  where,
  writeBatch,
} from "firebase/firestore/lite";

import { allowed, denied, testPermissions } from "../../support.mjs";

const MEMBERS = { ana: "owner", ben: "member", eve: "viewer" };
const PROJECT = {
  schemaVersion: 1,
  name: "House",
  edition: 2023,
  building: { occupancy: "dwelling" },
  service: { serviceVoltage: 240, phases: 1, serviceAmps: 200 },
  feeders: [],
  panelCount: 1,
  members: MEMBERS,
  memberIds: ["ana", "ben", "eve"],
};
const PANEL = { schemaVersion: 1, id: "main", name: "Main", circuits: [] };
const DOCUMENTS = {
  "projects/house": PROJECT,
  "projects/house/panels/main": PANEL,
  "projects/theirs": { ...PROJECT, members: { zoe: "owner" }, memberIds: ["zoe"] },
  "projects/theirs/panels/main": PANEL,
  "projects/odd": { name: "Without members" },
  "projects/odd/panels/main": PANEL,
  "projects/gone/panels/main": PANEL,
};
const IN_IT = Object.keys(MEMBERS);

export default function electrical(rules) {
  describe("electrical", () => {
    before(() => rules.seed(DOCUMENTS));

    testPermissions(rules, "projects/house", {
      may: { get: IN_IT, update: ["ana"] },
      change: { name: "Our house" },
    });
    testPermissions(rules, "projects/house/panels/main", {
      may: { get: IN_IT, list: IN_IT, listAll: IN_IT },
      change: { name: "Renamed" },
    });

    for (const person of IN_IT) {
      test(`${person} lists the projects that they are in, and no others`, async () => {
        const db = rules.as(person);
        const mine = query(
          collection(db, "projects"),
          where("memberIds", "array-contains", person),
        );
        const found = await allowed(getDocs(mine));
        assert.deepEqual(found.docs.map(({ id }) => id), ["house"]);
        await denied(getDocs(collection(db, "projects")));
        const others = where("memberIds", "array-contains", "zoe");
        await denied(getDocs(query(collection(db, "projects"), others)));
      });
    }

    test("nobody reads a project or a panel that they are not in, or that has no members", async () => {
      for (const path of ["theirs", "odd", "gone", "none"]) {
        await denied(getDoc(doc(rules.as("ana"), `projects/${path}`)));
        await denied(getDoc(doc(rules.as("ana"), `projects/${path}/panels/main`)));
        await denied(getDocs(collection(rules.as("ana"), `projects/${path}/panels`)));
      }
    });

    test("an owner renames a project and changes nothing else of it", async () => {
      const house = doc(rules.as("ana"), "projects/house");
      await allowed(updateDoc(house, { name: "x".repeat(80) }));
      await rules.restore();
      for (const change of [
        { name: "" },
        { name: "x".repeat(81) },
        { name: 7 },
        { name: deleteField() },
        { edition: 2017 },
        { name: "House", service: { serviceAmps: 4000 } },
        { "service.serviceAmps": 4000 },
        { feeders: [{ id: "f" }] },
        { panelCount: 9 },
        { updatedAt: 1 },
      ]) {
        await denied(updateDoc(house, change));
      }
    });

    test("nobody writes themselves or others into a project, its owner included", async () => {
      const forged = [
        { members: { ...MEMBERS, guest: "owner" } },
        { memberIds: arrayUnion("guest") },
        { "members.guest": "owner", memberIds: arrayUnion("guest") },
        { name: "Ours", memberIds: arrayUnion("guest") },
      ];
      for (const person of [...IN_IT, "guest", "admin"]) {
        for (const change of forged) {
          await denied(updateDoc(doc(rules.as(person), "projects/house"), change));
        }
      }
      await denied(updateDoc(doc(rules.as("ben"), "projects/house"), { "members.ben": "owner" }));
    });

    test("nobody makes a project of their own past the functions", async () => {
      for (const person of ["ana", "guest", "admin"]) {
        const db = rules.as(person);
        const own = { ...PROJECT, members: { [person]: "owner" }, memberIds: [person] };
        await denied(setDoc(doc(db, "projects/new"), own));
        await denied(setDoc(doc(db, "projects/house"), own));
        const batch = writeBatch(db);
        batch.set(doc(db, "projects/new"), own);
        batch.set(doc(db, "projects/new/panels/main"), PANEL);
        await denied(batch.commit());
      }
    });

    test("an owner who is none any more by the roles renames nothing", async () => {
      await rules.seed({
        ...DOCUMENTS,
        "projects/house": { ...PROJECT, members: { ben: "owner" } },
      });
      await denied(updateDoc(doc(rules.as("ana"), "projects/house"), { name: "Mine" }));
      await rules.seed(DOCUMENTS);
    });
  });
}
