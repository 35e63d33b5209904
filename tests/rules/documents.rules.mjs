// Documents that users upload: their records are read by their owner and their team, and by nobody
// else; their parts and files by no client at all.

import { before, describe, test } from "node:test";

import { collection, doc, getDoc, getDocs, query, where } from "firebase/firestore/lite";

import { allowed, denied, testPermissions } from "./support.mjs";

const OWN = { schemaVersion: 2, uid: "ana", scope: "user", tenant: null, title: "Manual", status: "ready" };
const TEAM = { ...OWN, scope: "team", tenant: "north" };

const DOCUMENTS = {
  "documents/own": OWN,
  "documents/team": TEAM,
  "documents/elsewhere": { ...TEAM, uid: "ben", tenant: "south" },
  "documents/own/parts/f~t0": { uid: "ana", data: "" },
  "files/f": { uid: "ana", name: "manual.pdf" },
  "files/f/chunks/0000": { uid: "ana", content: "" },
};

const MINE = [where("uid", "==", "ana")];
const NORTH = [where("tenant", "==", "north")];

export default function knowledge(rules) {
  describe("knowledge", () => {
    before(() => rules.seed(DOCUMENTS));

    const owner = { get: ["ana"], list: ["ana"] };
    testPermissions(rules, "documents/own", { may: owner, filter: MINE, created: () => OWN });
    testPermissions(rules, "documents/team", {
      may: { get: ["ana", "teacher"], list: ["teacher"] },
      filter: NORTH,
      created: (person) => ({ ...TEAM, uid: person }),
    });
    testPermissions(rules, "documents/own/parts/f~t0", { filter: MINE });
    testPermissions(rules, "files/f", { filter: MINE });
    testPermissions(rules, "files/f/chunks/0000", { filter: MINE });

    test("being of no tenant gives nobody the documents that are of none", async () => {
      const ofNone = query(collection(rules.as("ben"), "documents"), where("tenant", "==", null));
      await denied(getDocs(ofNone));
      await denied(getDoc(doc(rules.as("ben"), "documents/own")));
    });

    test("one team's documents are not another's", async () => {
      await denied(getDoc(doc(rules.as("teacher"), "documents/elsewhere")));
      const south = where("tenant", "==", "south");
      await denied(getDocs(query(collection(rules.as("teacher"), "documents"), south)));
      await allowed(getDocs(query(collection(rules.as("teacher"), "documents"), ...NORTH)));
    });
  });
}
