// Stored runs and threads, without a connection to Firestore.

import assert from "node:assert/strict";
import { test } from "node:test";

import { deleteApp, initializeApp } from "firebase/app";
import { disableNetwork, getFirestore, setLogLevel, terminate } from "firebase/firestore";

import { isLost, toRollcallError } from "../src/errors.js";
import { UserFirestore } from "../src/firestore.js";
import { RunStore } from "../src/run_store.js";
import { Threads } from "../src/threads.js";

setLogLevel("silent");

test("without a connection nothing is said to be all there is: it is lost, and asked for again", async (t) => {
  const app = initializeApp({ projectId: "demo-nowhere", apiKey: "none" });
  const db = getFirestore(app);
  t.after(async () => {
    await terminate(db);
    await deleteApp(app);
  });
  await disableNetwork(db);
  const firestore = new UserFirestore(db, { currentUser: { uid: "ana" } });
  const stored = new RunStore(firestore);
  await assert.rejects(stored.events("t", "r"), (error) => isLost(error));
  await assert.rejects(stored.state("t", "r"), (error) => isLost(error));
  await assert.rejects(stored.waiting("t"), (error) => isLost(error));
  const threads = new Threads(firestore, () => assert.fail("nothing is called"));
  await assert.rejects(threads.messages("t"), { code: "unavailable" });
  await assert.rejects(threads.list(), { code: "unavailable" });
});

test("a call that did not arrive is told as that, and what a function says by its own code", () => {
  const failed = (code, details) => Object.assign(new Error("internal"), { code, details });
  assert.equal(toRollcallError(failed("functions/internal")).code, "unavailable");
  assert.equal(toRollcallError(failed("functions/internal", { code: "internal" })).code, "internal");
  assert.equal(toRollcallError(failed("internal")).code, "internal"); // Firestore's own
});
