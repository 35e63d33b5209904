// A turn: read, continued with tools and decisions, stopped, asked again.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Locks } from "../src/locks.js";
import { Run } from "../src/run.js";
import { networkError, numbered, RETRY_POLICY, refusal, resultOf, runOf, streaming } from "./fake_server.mjs";

const REQUEST = {
  agent: "a",
  message: "Hi",
  runId: "r",
  clientId: "c",
  clientTools: ["read_file"],
};

function services(...streams) {
  const called = [];
  const { stream, asked } = streaming(...streams);
  const call = async (name, data) => {
    called.push([name, data]);
    return { status: "cancelling" };
  };
  const access = { stream, retryPolicy: RETRY_POLICY };
  return { services: { access, clientId: "c", locks: new Locks(), call }, asked, called };
}

const all = async (run) => {
  const events = [];
  for await (const event of run) events.push(event);
  return events;
};

const record = (id, tool, args, status = "client") => ({
  id,
  tool,
  arguments: args,
  status,
  step: 1,
  ms: 0,
});
const interrupt = (id, decider = { uid: "u" }) => ({
  id,
  reason: "approval",
  message: "Write?",
  toolCallId: id,
  responseSchema: {},
  expiresAt: "",
  metadata: { decider },
});
const withResult = (fields) => {
  const events = runOf(resultOf(fields));
  return [...events, events.at(-1).result];
};
const left = withResult({
  outcome: { type: "success", pendingToolCallIds: ["1"] },
  toolCalls: [record("1", "read_file", { path: "a" })],
});
const waits = withResult({
  outcome: { type: "interrupt", interrupts: [interrupt("i"), interrupt("j")] },
});

test("is read as events, as text and as a result", async () => {
  const { services: at } = services(withResult());
  const run = new Run(at, REQUEST, {});
  const texts = [];
  run.on("text", ({ text }) => texts.push(text));
  const events = await all(run);
  assert.equal(events.at(-1).type, "RUN_FINISHED");
  assert.deepEqual(texts, ["Hello ", "Hello there"]);
  assert.deepEqual(await run.result, resultOf());
  assert.equal(run.text, "Hello there");
  assert.deepEqual([run.threadId, run.runId], ["t", "r"]);
});

test("goes on with what its tools answer, hop after hop, each under its own id", async () => {
  const again = left.map((each) =>
    each.turnId
      ? { ...each, runId: "r~1" }
      : each.type === "RUN_FINISHED"
        ? { ...each, result: { ...each.result, runId: "r~1" } }
        : each,
  );
  const { services: at, asked } = services(left, again, withResult());
  const tools = { read_file: ({ path }) => ({ path, content: "x" }) };
  const run = new Run(at, REQUEST, { clientTools: tools });
  const events = await all(run);
  assert.equal(events.filter(({ type }) => type === "RUN_STARTED").length, 3);
  assert.equal((await run.result).outcome.type, "success");
  const { runId, ...hop } = asked[1];
  const toolResults = [{ toolCallId: "1", content: { path: "a", content: "x" } }];
  const expected = {
    agent: "a",
    threadId: "t",
    toolResults,
    clientId: "c",
    clientTools: ["read_file"],
  };
  assert.deepEqual(JSON.parse(JSON.stringify(hop)), expected);
  assert.deepEqual([runId, ...asked.map((each) => each.runId)], ["r~1", "r", "r~1", "r~2"]);
});

test("leaves calls alone that it has no tools for, until they are answered", async () => {
  const { services: at, asked } = services(left, withResult());
  const run = new Run(at, REQUEST, {});
  assert.deepEqual((await run.result).outcome.pendingToolCallIds, ["1"]);
  await run.answer([{ toolCallId: "1", error: "no" }]).result;
  assert.deepEqual(asked[1].toolResults, [{ toolCallId: "1", error: "no" }]);
});

test("asks about what waits, and goes on with the decisions", async () => {
  const { services: at, asked } = services(waits, withResult());
  const decide = ({ id }) => ({ approved: id === "i" });
  assert.equal((await new Run(at, REQUEST, { decide }).result).outcome.type, "success");
  const entry = (id, approved) => ({ interruptId: id, status: "resolved", payload: { approved } });
  assert.deepEqual(asked[1].resume, [entry("i", true), entry("j", false)]);
});

test("shows the run that goes on, and not what the one before it said and waited for", async () => {
  const asks = { type: "interrupt", interrupts: [interrupt("i")] };
  const first = withResult({ message: "May I?", outcome: asks });
  const next = withResult({ runId: "r~1", message: "It is done" });
  const { services: at } = services(first, next);
  const run = new Run(at, REQUEST, { decide: () => ({ approved: true }) });
  const seen = [];
  run.on("event", ({ type }) => {
    if (type === "RUN_STARTED") seen.push(run.interrupts.length);
    if (type === "TEXT_MESSAGE_CONTENT") seen.push(run.text);
  });
  await run.result;
  assert.deepEqual(seen, [0, "May ", "May I?", 0, "It ", "It is ", "It is done"]);
  assert.deepEqual([run.text, run.interrupts], ["It is done", []]);
});

test("ends where it waits, and goes on once all is decided", async () => {
  const { services: at, asked } = services(waits, withResult());
  const run = new Run(at, REQUEST, { decide: () => undefined });
  await run.result;
  const [first, second] = run.interrupts;
  assert.equal(run.approve(first, { remember: "docs/*" }), undefined);
  const next = run.reject(second, "not now");
  assert.equal((await next.result).outcome.type, "success");
  const payloads = asked[1].resume.map(({ payload }) => payload);
  assert.deepEqual(payloads, [
    { approved: true, remember: "docs/*" },
    { approved: false, reason: "not now" },
  ]);
});

test("does not wait for what somebody else decides", async () => {
  const outcome = {
    type: "interrupt",
    interrupts: [interrupt("i"), interrupt("theirs", { role: "admin" })],
  };
  const { services: at, asked } = services(withResult({ outcome }), withResult());
  const run = new Run(at, REQUEST, {});
  await run.result;
  await run.approve(run.interrupts[0]).result;
  assert.deepEqual(
    asked[1].resume.map(({ interruptId }) => interruptId),
    ["i"],
  );
});

test("answers its tools first where decisions wait beside them", async () => {
  const both = withResult({
    outcome: { type: "interrupt", interrupts: [interrupt("i")], pendingToolCallIds: ["1"] },
    toolCalls: [record("1", "read_file", { path: "a" })],
  });
  const noted = resultOf({ outcome: { type: "interrupt", interrupts: [interrupt("i")] } });
  const { services: at, asked } = services(both, [noted], withResult());
  const run = new Run(at, REQUEST, {
    clientTools: { read_file: () => 1 },
    decide: () => ({ approved: true }),
  });
  assert.equal((await run.result).outcome.type, "success");
  assert.deepEqual(
    asked.map((each) =>
      Object.keys(each).find((key) => ["message", "toolResults", "resume"].includes(key)),
    ),
    ["message", "toolResults", "resume"],
  );
});

test("shows arguments while they are written, and runs nothing before they are whole", async () => {
  const text = '{"path":"a.txt","content":"line one\\nline two"}';
  const deltas = text
    .match(/.{1,4}/g)
    .map((delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: "1", delta }));
  const args = JSON.parse(text);
  const outcome = { type: "success", pendingToolCallIds: ["1"] };
  const result = resultOf({ outcome, toolCalls: [record("1", "write_file", args)] });
  const events = numbered([
    { type: "RUN_STARTED", threadId: "t", runId: "r" },
    {
      type: "TOOL_CALL_START",
      toolCallId: "1",
      toolCallName: "write_file",
      parentMessageId: "r-1",
    },
    ...deltas,
    { type: "TOOL_CALL_END", toolCallId: "1" },
    { type: "RUN_FINISHED", threadId: "t", runId: "r", result, outcome },
  ]);
  const { services: at } = services([...events, result], withResult());
  const written = [];
  const run = new Run(at, REQUEST, { clientTools: { write_file: (given) => written.push(given) } });
  let content = "";
  const seen = [];
  run.on("arguments", ({ call, added }) => {
    for (const { path, text: piece } of added) if (path[0] === "content") content += piece;
    seen.push(call.arguments?.content);
    assert.equal(written.length, 0);
    assert.equal(call.isWhole, false);
  });
  await run.result;
  assert.equal(content, args.content);
  assert.ok(new Set(seen).size > 4, `${seen}`);
  assert.deepEqual(written, [args]);
});

test("is stopped by its signal: tools, readers and server", async () => {
  const stopping = new AbortController();
  const { services: at, called, asked } = services(left, withResult());
  let stopped;
  const tools = {
    read_file: (args, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject((stopped = signal.reason)));
        stopping.abort(new Error("enough"));
      }),
  };
  const run = new Run(at, REQUEST, { clientTools: tools, signal: stopping.signal });
  await assert.rejects(all(run), { message: "enough" });
  await assert.rejects(run.result, { message: "enough" });
  assert.equal(stopped.message, "enough");
  assert.deepEqual(called, [["cancel_run", { threadId: "t", runId: "r" }]]);
  assert.equal(asked.length, 1);
});

test("is stopped on the server as soon as that knows it", async () => {
  const stopping = new AbortController();
  const { services: at, called } = services([networkError()], [...runOf().slice(0, 2), "hang"]);
  const call = async (...what) => (called.push(what), { status: "cancelled" });
  const run = new Run({ ...at, call }, REQUEST, { signal: stopping.signal });
  stopping.abort(new Error("enough"));
  await assert.rejects(run.result, { message: "enough" });
  assert.deepEqual(called, [["cancel_run", { threadId: "t", runId: "r" }]]);
});

test("begins nothing with a signal that is aborted", async () => {
  const { services: at, asked } = services(withResult());
  await assert.rejects(
    new Run(at, REQUEST, { signal: AbortSignal.abort(new Error("no")) }).result,
    { message: "no" },
  );
  assert.equal(asked.length, 0);
});

test("is left without being stopped", async () => {
  const { services: at, called } = services([...runOf().slice(0, 3), "hang"]);
  const run = new Run(at, REQUEST, {});
  setTimeout(() => run.leave(), 5);
  await assert.rejects(all(run), { code: "cancelled" });
  assert.equal(called.length, 0);
});

test("is cancelled, asked again, asked otherwise and rated", async () => {
  const { services: at, asked, called } = services(withResult());
  const run = new Run(at, REQUEST, {});
  assert.equal(await run.cancel(), "cancelling");
  assert.throws(() => new Run(at, REQUEST, {}).retry(), { code: "failed-precondition" });
  await run.result;
  await run.retry().result;
  await run.edit("Hello?").result;
  await run.rate("up");
  const [, , again, other] = asked;
  assert.equal(again.retry, "r");
  assert.deepEqual([other.message, other.replaces, other.threadId], ["Hello?", "r", "t"]);
  assert.deepEqual(called[1], ["rate_message", { threadId: "t", runId: "r", rating: "up" }]);
});

test("a reply that was asked for once more takes the place of the one that broke off", async () => {
  const begun = (messageId, text) => [
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId, delta: text },
    {
      type: "TOOL_CALL_START",
      toolCallId: `c-${messageId}`,
      toolCallName: "x",
      parentMessageId: messageId,
    },
    { type: "TEXT_MESSAGE_END", messageId },
  ];
  const end = runOf().at(-1);
  const events = numbered([
    runOf()[0],
    ...begun("r-1", "Hel"),
    ...begun("r-1-try2", "Hello"),
    ...begun("r-2", "there"),
    end,
  ]);
  const { services: at } = services([...events, end.result]);
  const run = new Run(at, REQUEST, {});
  await run.result;
  assert.deepEqual(
    run.messages.map(({ text }) => text),
    ["Hello", "there"],
  );
  assert.deepEqual(
    run.calls.map(({ id }) => id),
    ["c-r-1-try2", "c-r-2"],
  );
});

test("calls that were answered before are not run again", async () => {
  const end = withResult({ runId: "r~1" });
  const tools = { read_file: () => assert.fail("it was run again") };
  const stored = {
    async state(threadId, runId) {
      return runId === "r"
        ? { status: "done", result: left.at(-1), continuedBy: "r~1" }
        : { status: "done", result: end.at(-1) };
    },
    async events(threadId, runId) {
      return runId === "r" ? left.slice(0, -1) : end.slice(0, -1);
    },
  };
  for (const origin of [{ isWatched: true }, { isNamed: true }]) {
    const { services: at, asked } = services(left);
    const run = new Run(
      { ...at, access: { ...at.access, stored } },
      { ...REQUEST, threadId: "t" },
      { clientTools: tools },
      origin,
    );
    assert.equal((await run.result).runId, "r~1");
    assert.equal(asked.length, origin.isNamed ? 1 : 0);
  }
  const summary = left
    .map((event) => ({ ...event, metadata: undefined }))
    .filter(({ type }) => type === "RUN_FINISHED");
  const { services: at, asked } = services([...summary, left.at(-1)]);
  const run = new Run(at, REQUEST, { clientTools: tools }, { isNamed: true });
  assert.deepEqual((await run.result).outcome.pendingToolCallIds, ["1"]);
  assert.equal(asked.length, 1);
});

test("named runs that were over and are told whole again do not run their calls again", async () => {
  const [started, ...rest] = left;
  const replayed = { ...started, metadata: { n: 0, isRetold: true } };
  const { services: at, asked } = services([replayed, ...rest]);
  const tools = { read_file: () => assert.fail("it was run again") };
  const run = new Run(at, REQUEST, { clientTools: tools }, { isNamed: true });
  assert.deepEqual((await run.result).outcome.pendingToolCallIds, ["1"]);
  assert.equal(asked.length, 1);
});

test("a second click on a decision is the same run; another answer is refused", async () => {
  const { services: at, asked } = services(waits, withResult());
  const run = new Run(at, REQUEST, {});
  await run.result;
  const [first, second] = run.interrupts;
  run.approve(first);
  const next = run.approve(second);
  assert.equal(run.approve(second), next);
  assert.equal(run.reject(first), next);
  assert.throws(() => run.resume({ i: { approved: true } }), { code: "failed-precondition" });
  assert.throws(() => run.answer([]), { code: "failed-precondition" });
  await next.result;
  assert.equal(asked.length, 2);
});

test("an answer that was refused can be given anew", async () => {
  const { services: at } = services(waits, [refusal("invalid-argument")], withResult());
  const run = new Run(at, REQUEST, {});
  await run.result;
  const both = { i: { approved: true, remember: "no such" }, j: { approved: true } };
  await assert.rejects(run.resume(both).result, { code: "invalid-argument" });
  assert.equal((await run.resume({ i: { approved: true } }).result).outcome.type, "success");
});

test("a listener that throws is an uncaught error of the app's, and the run goes on", async (t) => {
  const uncaught = [];
  const listeners = process.rawListeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => uncaught.push(error.message));
  t.after(() => {
    process.removeAllListeners("uncaughtException");
    for (const listener of listeners) process.on("uncaughtException", listener);
  });
  const run = new Run(services(withResult()).services, REQUEST, {});
  run.on("event", ({ type }) => {
    if (type === "RUN_STARTED") throw new Error("the page's bug");
  });
  assert.equal((await all(run)).at(-1).type, "RUN_FINISHED");
  assert.deepEqual(uncaught, ["the page's bug"]);
});

test("is cancelled while its tools run or a decision is made: both are left", async () => {
  const forever = () => new Promise(() => undefined);
  for (const [stream, habits] of [
    [left, { clientTools: { read_file: forever } }],
    [waits, { decide: forever }],
  ]) {
    const { services: at, called, asked } = services(stream, withResult());
    const run = new Run(at, REQUEST, habits);
    run.on("event", ({ type }) => type === "RUN_FINISHED" && setImmediate(() => run.cancel()));
    await assert.rejects(all(run), { code: "cancelled" });
    await assert.rejects(run.result, { code: "cancelled" });
    assert.deepEqual([called.length, asked.length], [1, 1]);
  }
});

test("is left while a decision is made", async () => {
  const run = new Run(services(waits).services, REQUEST, { decide: () => new Promise(() => undefined) });
  run.on("event", ({ type }) => type === "RUN_FINISHED" && setImmediate(() => run.leave()));
  await assert.rejects(all(run), { code: "cancelled" });
});

test("the same once more, or something else, is asked with what the user has before them", async () => {
  const { services: at, asked } = services(withResult());
  const context = { page: 2 };
  const run = new Run(at, REQUEST, { context });
  await run.result;
  await run.retry().result;
  await run.edit("Hello?").result;
  assert.deepEqual(
    asked.slice(1).map((each) => each.context),
    [context, context],
  );
});

test("readers that stop early keep nobody waiting", async () => {
  const run = new Run(services(withResult()).services, REQUEST, {});
  for await (const event of run) if (event.type === "TEXT_MESSAGE_START") break;
  await run.result;
  assert.equal(run.text, "Hello there");
  assert.deepEqual(await all(run), []);
});
