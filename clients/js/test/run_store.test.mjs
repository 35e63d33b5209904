// Stored runs, without a connection to Firestore.

import assert from "node:assert/strict";
import { test } from "node:test";

import { deleteApp, initializeApp } from "firebase/app";
import { disableNetwork, getFirestore, setLogLevel, terminate } from "firebase/firestore";

import { isLost } from "../src/errors.js";
import { RunStore } from "../src/run_store.js";

setLogLevel("silent");

test("without a connection nothing is said to be all there is: it is lost, and asked for again", async (t) => {
  const app = initializeApp({ projectId: "demo-nowhere", apiKey: "none" });
  const db = getFirestore(app);
  t.after(async () => {
    await terminate(db);
    await deleteApp(app);
  });
  await disableNetwork(db);
  const stored = new RunStore(db, { currentUser: { uid: "ana" } });
  await assert.rejects(stored.events("t", "r"), (error) => isLost(error));
  await assert.rejects(stored.state("t", "r"), (error) => isLost(error));
  await assert.rejects(stored.waiting("t"), (error) => isLost(error));
});
