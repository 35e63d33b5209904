// A client's own tools: which calls they are run for, beside which others, and what is sent back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { runCalls, pendingCalls, RESULT_CHARS, RESULTS_BYTES } from "../src/client_tools.js";
import { resultOf } from "./fake_server.mjs";

const call = (id, tool, args = {}) => ({
  id,
  tool,
  arguments: args,
  status: "client",
  step: 1,
  ms: 0,
});

function answering(
  calls,
  tools,
  { signal = new AbortController().signal, onProgress = () => {} } = {},
) {
  return runCalls(calls, tools, { signal, onProgress });
}

test("calls are run that the result leaves to the client, and no others", () => {
  const toolCalls = [call("1", "a"), { ...call("2", "a"), status: "done" }, call("3", "a")];
  const outcome = { type: "success", pendingToolCallIds: ["1", "2"] };
  assert.deepEqual(
    pendingCalls(resultOf({ outcome, toolCalls })).map(({ id }) => id),
    ["1"],
  );
  assert.deepEqual(pendingCalls(resultOf({ toolCalls })), []);
});

test("reads run side by side, a write alone and in its place", async () => {
  const course = [];
  const during = async (name) => {
    course.push(`+${name}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    course.push(`-${name}`);
    return name;
  };
  const tools = {
    read: { run: ({ name }) => during(name), reads: true },
    write: ({ name }) => during(name),
  };
  const calls = ["read", "read", "write", "write", "read"].map((tool, n) =>
    call(`${n}`, tool, { name: n }),
  );
  const results = await answering(calls, tools);
  assert.deepEqual(course, ["+0", "+1", "-0", "-1", "+2", "-2", "+3", "-3", "+4", "-4"]);
  assert.deepEqual(
    results,
    calls.map((each, n) => ({ toolCallId: `${n}`, content: n })),
  );
});

test("an error is told by its message, and keeps no other call from its answer", async () => {
  const tools = {
    bad: {
      run: () => {
        throw new Error("the disk is full");
      },
      reads: true,
    },
    good: { run: () => ({ ok: true }), reads: true },
    odd: () => {
      throw "a text";
    },
    nothing: () => undefined,
    cyclic: () => {
      const it = {};
      it.it = it;
      return it;
    },
    big: () => 1n,
    silent: () => Promise.reject(),
    bare: () => Promise.reject(Object.create(null)),
    unsaid: () => Promise.reject(Object.assign(new Error(), { message: { not: "text" } })),
  };
  const calls = [...Object.keys(tools), "missing", "toString"].map((tool) => call(tool, tool));
  const results = Object.fromEntries(
    (await answering(calls, tools)).map((each) => [each.toolCallId, each]),
  );
  assert.equal(results.bad.error, "the disk is full");
  assert.deepEqual(results.good.content, { ok: true });
  assert.equal(results.odd.error, "a text");
  assert.equal(results.nothing.content, null);
  assert.match(results.cyclic.error, /circular/i);
  assert.match(results.big.error, /BigInt/);
  for (const name of ["silent", "bare"]) assert.match(results[name].error, /did not say why/);
  assert.equal(results.unsaid.error, "Error");
  for (const name of ["missing", "toString"]) assert.match(results[name].error, /has no tool/);
});

test("a result too large is an error that says how large it may be", async () => {
  const tools = { read: { run: ({ size }) => "x".repeat(size), reads: true } };
  const [fits, large] = await answering(
    [call("1", "read", { size: RESULT_CHARS - 2 }), call("2", "read", { size: RESULT_CHARS })],
    tools,
  );
  assert.equal(fits.content.length, RESULT_CHARS - 2);
  assert.match(large.error, /200,002 characters of JSON; at most 200,000/);
  const many = await answering(
    Array.from({ length: 5 }, (_, n) => call(`${n}`, "read", { size: 150_000 })),
    tools,
  );
  assert.deepEqual(
    many.map((each) => "error" in each),
    [false, false, false, true, true],
  );
  assert.ok(Buffer.byteLength(JSON.stringify(many)) < RESULTS_BYTES);
});

test("what the server could not store is made sound", async () => {
  let deep = 1;
  for (let n = 0; n < 30; n++) deep = [deep];
  const results = await answering([call("1", "odd"), call("2", "deep")], {
    odd: () => ({ "k\0": "a\0b\ud800c😀" }),
    deep: () => deep,
  });
  assert.deepEqual(results[0].content, { "k\ufffd": "a\ufffdb\ufffdc😀" });
  assert.match(results[1].error, /nested deeper/);
});

test("a tool tells how far it is, and is stopped by the signal", async () => {
  const stopping = new AbortController();
  const told = [];
  const tools = {
    slow: async (args, { progress, signal }) => {
      progress("half", 1, 2);
      await new Promise(() => {}); // it does not listen
      told.push(signal);
    },
    next: () => told.push("next was run"),
  };
  const onProgress = (progress) => {
    told.push(progress);
    stopping.abort(new Error("stopped"));
  };
  const options = { signal: stopping.signal, onProgress };
  await assert.rejects(answering([call("1", "slow"), call("2", "next")], tools, options), {
    message: "stopped",
  });
  assert.deepEqual(told, [{ toolCallId: "1", text: "half", done: 1, total: 2 }]);
});
