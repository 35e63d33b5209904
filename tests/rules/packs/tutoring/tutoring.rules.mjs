// The tutoring pack: functions alone write; students read their own, teachers what they gave.

import { before, describe } from "node:test";

import { where } from "firebase/firestore";

import { onlyThese } from "../../support.mjs";

const OWNED = { uid: "ben", teacherUid: "teacher", missionId: "food" };
const DOCUMENTS = {
  "missions/food": { teacherUid: "teacher", courseId: "math", title: "Food" },
  "sessions/s1": OWNED,
  "reviewItems/i1": OWNED,
  "completions/s1_t1": OWNED,
  "profiles/ben/facts/f1": { uid: "ben", fact: "likes football" },
};

export default function tutoring(rules) {
  describe("tutoring", () => {
    before(() => rules.given(DOCUMENTS));

    onlyThese(rules, "missions/food", {
      may: { get: ["teacher"], list: ["teacher"] },
      filter: [where("teacherUid", "==", "teacher")],
    });
    for (const path of ["sessions/s1", "reviewItems/i1", "completions/s1_t1"]) {
      onlyThese(rules, path, {
        may: { get: ["ben", "teacher"], list: ["ben"] },
        filter: [where("uid", "==", "ben")],
      });
    }
    onlyThese(rules, "profiles/ben/facts/f1", {
      may: { get: ["ben"], list: ["ben"], listAll: ["ben"], delete: ["ben"] },
    });
  });
}
