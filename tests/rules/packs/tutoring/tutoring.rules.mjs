// The tutoring pack: functions alone write; students read their own, teachers what they gave.

import { before, describe, test } from "node:test";

import { collection, doc, getDocs, query, updateDoc, where } from "firebase/firestore/lite";

import { allowed, denied, testPermissions } from "../../support.mjs";

const OWNED = { uid: "ben", teacherUid: "teacher", missionId: "food" };
const FACT = { uid: "ben", teacherUid: "teacher", fact: "likes football" };
const DOCUMENTS = {
  "missions/food": { teacherUid: "teacher", courseId: "math", title: "Food" },
  "sessions/s1": OWNED,
  "reviewItems/i1": OWNED,
  "completions/s1_t1": OWNED,
  "profiles/ben/facts/f1": { ...FACT, shared: false },
  "profiles/ben/facts/f2": { ...FACT, shared: true },
};

export default function tutoring(rules) {
  describe("tutoring", () => {
    before(() => rules.seed(DOCUMENTS));

    testPermissions(rules, "missions/food", {
      may: { get: ["teacher"], list: ["teacher"] },
      filter: [where("teacherUid", "==", "teacher")],
    });
    for (const path of ["sessions/s1", "reviewItems/i1", "completions/s1_t1"]) {
      testPermissions(rules, path, {
        may: { get: ["ben", "teacher"], list: ["ben"] },
        filter: [where("uid", "==", "ben")],
      });
      test(`a teacher lists what they gave, and no other does: ${path}`, async () => {
        const of = (who) =>
          getDocs(
            query(
              collection(rules.as(who), path.split("/")[0]),
              where("teacherUid", "==", "teacher"),
              where("missionId", "==", "food"),
            ),
          );
        await allowed(of("teacher"));
        for (const who of ["ana", "ben", "admin", "signedOut"]) await denied(of(who));
      });
    }
    testPermissions(rules, "profiles/ben/facts/f1", {
      may: { get: ["ben"], list: ["ben"], listAll: ["ben"], delete: ["ben"] },
    });
    testPermissions(rules, "profiles/ben/facts/f2", {
      may: {
        get: ["ben", "teacher"],
        list: ["ben", "teacher"],
        listAll: ["ben"],
        update: ["ben"],
        delete: ["ben"],
      },
      filter: [where("teacherUid", "==", "teacher"), where("shared", "==", true)],
      change: { shared: false },
    });
    test("a student changes nothing of a fact but whether it is shared", async () => {
      const fact = doc(rules.as("ben"), "profiles/ben/facts/f1");
      for (const change of [
        { shared: "yes" },
        { fact: "likes nothing" },
        { shared: true, teacherUid: "ana" },
      ]) {
        await denied(updateDoc(fact, change));
      }
      await allowed(updateDoc(fact, { shared: true }));
      await rules.restore();
    });
  });
}
