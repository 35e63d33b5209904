// What Rollcall's own functions and collections are called, where the deployment has a prefix.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { deleteApp, initializeApp } from "firebase/app";
import { connectFunctionsEmulator, getFunctions } from "firebase/functions";

import { Rollcall } from "../src/index.js";
import { Names } from "../src/names.js";

test("a prefix stands before functions, and before every collection of a path", () => {
  const names = new Names("rc");
  assert.equal(names.function("run_agent"), "rc_run_agent");
  assert.deepEqual(names.path("threads"), ["rc_threads"]);
  const run = ["rc_threads", "t", "rc_runs", "r", "rc_events"];
  assert.deepEqual(names.path("threads", "t", "runs", "r", "events"), run);
});

test("without a prefix names are as they are", () => {
  for (const names of [new Names(), new Names(""), new Names(undefined)]) {
    assert.equal(names.function("run_agent"), "run_agent");
    assert.deepEqual(names.path("threads", "t", "runs", "r"), ["threads", "t", "runs", "r"]);
  }
});

test("an id that no document can have is not found, and is not part of another path", () => {
  const names = new Names();
  for (const id of ["", "a/b", "a/messages/b", "/", ".", "..", "__a__", "____", undefined, null, 7]) {
    const refused = { code: "not-found", message: `no document has the id ${JSON.stringify(id)}` };
    assert.throws(() => names.path("threads", id), refused);
    assert.throws(() => names.path("threads", "t", "runs", id), refused);
  }
  for (const id of ["a", "a.b", "...", "__a", "a b", "שיחה", "%2F"]) {
    assert.deepEqual(names.path("threads", id), ["threads", id]);
  }
});

test("what cannot be a prefix is refused", () => {
  for (const prefix of ["RC", "1rc", "rc_", "r-c", " ", "a".repeat(17)]) {
    const refused = { code: "invalid-argument", field: "prefix", message: /lower-case/ };
    assert.throws(() => new Rollcall({ functions: {}, prefix }), refused);
  }
});

test("Rollcall's own functions are called by their prefixed names, a capability by its own", async (t) => {
  const { functions, called } = await recording(t);
  const rollcall = new Rollcall({ functions, prefix: "rc" });
  await rollcall.cancel({ threadId: "t", runId: "r" });
  await rollcall.rate({ threadId: "t", runId: "r", rating: "up" });
  await rollcall.threads.delete("t");
  await rollcall.call("find_room", { size: 4 });
  const run = rollcall.run({ agent: "a", message: "Hi" });
  await assert.rejects(run.result, { code: "invalid-argument" });
  const own = ["rc_cancel_run", "rc_rate_message", "rc_delete_thread"];
  assert.deepEqual(called, [...own, "find_room", "rc_run_agent"]);
});

/** Functions that refuse runs and answer all else alike, and note which was called. */
async function recording(t) {
  const called = [];
  const server = createServer((request, response) => {
    called.push(request.url.split("/").at(-1));
    const details = { code: "invalid-argument" };
    const refusal = { error: { status: "INVALID_ARGUMENT", message: "no", details } };
    const streams = request.headers.accept === "text/event-stream";
    response.setHeader("Content-Type", streams ? "text/event-stream" : "application/json");
    response.end(streams ? `data: ${JSON.stringify(refusal)}\n\n` : '{"result": {}}');
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const app = initializeApp({ projectId: "demo-names", apiKey: "none" }, "names");
  t.after(async () => {
    await deleteApp(app);
    server.close();
    server.closeAllConnections();
  });
  const functions = getFunctions(app);
  connectFunctionsEmulator(functions, "127.0.0.1", server.address().port);
  return { functions, called };
}
