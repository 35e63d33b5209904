// Threads, where there is nothing to read them from.

import assert from "node:assert/strict";
import { test } from "node:test";

import { UserFirestore } from "../src/firestore.js";
import { Threads } from "../src/threads.js";

test("who cannot watch threads is told at once", () => {
  const call = () => assert.fail("nothing is called");
  const watch = (...given) => new Threads(new UserFirestore(...given), call).watch(() => undefined);
  assert.throws(() => watch(undefined, undefined), { code: "failed-precondition" });
  assert.throws(() => watch({}, { currentUser: null }), { code: "unauthenticated" });
});
