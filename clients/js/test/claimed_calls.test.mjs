// Of two clients that follow one run, in two tabs or in one page, one runs its calls.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Locks } from "../src/locks.js";
import { Run } from "../src/run.js";
import { networkError, RETRY_POLICY, resultOf, runOf, withWebLocks } from "./fake_server.mjs";

const CALL = { id: "1", tool: "act", arguments: {}, status: "client", step: 1, ms: 0 };
const QUESTION = {
  id: "i",
  reason: "approval",
  message: "Write?",
  toolCallId: "2",
  responseSchema: {},
  expiresAt: "",
  metadata: { decider: { uid: "u" } },
};
const LEFT = resultOf({
  outcome: { type: "success", pendingToolCallIds: ["1"] },
  toolCalls: [CALL],
});
const END = resultOf({ runId: "r~1", message: "It is done" });
const soon = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

/** What follows a run, once it has begun to act; the act never ends. */
const begun = (follow) =>
  new Promise((resolve) => {
    const run = follow(() => (resolve(run), new Promise(() => {})));
  });

/** A thread whose run `r` waits for a client, and goes on as `r~1` with what one answers. */
class Thread {
  waits = { runId: "r" };
  runs = { r: { status: "done", result: LEFT } };
  answers = [];

  async *stream(data) {
    this.answers.push(data);
    assert.ok(this.waits, "it was answered twice");
    this.waits = undefined;
    this.runs.r.continuedBy = "r~1";
    this.runs["r~1"] = { status: "done", result: END };
    yield* runOf(END);
    return END;
  }

  stored = {
    state: async (threadId, runId) => this.runs[runId],
    events: async (threadId, runId) => runOf(this.runs[runId].result),
    waiting: async () => this.waits,
    take: async (threadId, runId, place) => {
      if (this.waits?.runId !== runId || this.waits.takenBy) return false;
      this.waits = { ...this.waits, takenBy: { runId, place } };
      return true;
    },
  };

  call = async (name) => {
    assert.equal(name, "cancel_run");
    await soon();
    this.waits = undefined;
    this.runs.r.status = "cancelled";
    return { status: "cancelled" };
  };

  /** Somebody follows the run. */
  follow(locks, tools, habits = {}) {
    const stream = (data) => this.stream(data);
    const access = { stream, stored: this.stored, retryPolicy: RETRY_POLICY };
    const services = { access, locks, clientId: "c", call: this.call };
    const request = { agent: "a", threadId: "t", runId: "r", clientTools: Object.keys(tools) };
    return new Run(services, request, { clientTools: tools, ...habits }, { isWatched: true });
  }
}

const PLACES = {
  "in one page or process": () => [new Locks(), new Locks()],
  "in two tabs": () => withWebLocks(() => [new Locks(), new Locks()]),
};

/** Locks of a process of its own. */
const elsewhere = (place) => ({ place, take: async () => () => undefined });
const PROCESSES = { "in two processes": () => [elsewhere("one"), elsewhere("other")] };

for (const [where, pair] of Object.entries({ ...PLACES, ...PROCESSES })) {
  test(`${where}, calls are run once, and both are told the end`, async () => {
    const thread = new Thread();
    let ran = 0;
    const act = async () => {
      ran += 1;
      await soon(20);
      return {};
    };
    const runs = pair().map((locks) => thread.follow(locks, { act }));
    const ends = await Promise.all(runs.map(({ result }) => result));
    assert.deepEqual(ends, [END, END]);
    assert.deepEqual([ran, thread.answers.length], [1, 1]);
    assert.deepEqual(
      runs.map(({ text }) => text),
      ["It is done", "It is done"],
    );
  });
}

for (const [where, pair] of Object.entries(PLACES)) {

  test(`${where}, who leaves while it runs them leaves them to the other`, async () => {
    const thread = new Thread();
    const [one, other] = pair();
    const left = await begun((act) => thread.follow(one, { act }));
    const next = thread.follow(other, { act: () => ({}) });
    await soon();
    assert.equal(thread.answers.length, 0);
    left.leave();
    await assert.rejects(left.result, { code: "cancelled" });
    assert.deepEqual(await next.result, END);
  });

  test(`${where}, what one stops the other does not begin`, async () => {
    const thread = new Thread();
    const [one, other] = pair();
    const stopped = await begun((act) => thread.follow(one, { act }));
    const next = thread.follow(other, { act: () => assert.fail("it was run") });
    await soon();
    await stopped.cancel();
    await assert.rejects(stopped.result, { code: "cancelled" });
    await assert.rejects(next.result, { code: "cancelled" });
    assert.equal(thread.answers.length, 0);
  });
}

test("who took the calls in another process and died leaves them to nobody", async () => {
  const thread = new Thread();
  const died = await begun((act) => thread.follow(elsewhere("one"), { act }));
  const next = thread.follow(elsewhere("other"), { act: () => assert.fail("it was run") });
  await soon(20);
  thread.waits = undefined; // the server has ended the wait, and gone on without results
  thread.runs.r.continuedBy = "r~1";
  thread.runs["r~1"] = { status: "done", result: END };
  assert.deepEqual(await next.result, END);
  assert.equal(thread.answers.length, 0);
  died.leave();
});

test("calls that only read are run wherever they are followed", async () => {
  const thread = new Thread();
  thread.waits.takenBy = { runId: "r", place: "one" };
  const act = { reads: true, run: () => ({}) };
  assert.deepEqual(await thread.follow(elsewhere("other"), { act }).result, END);
});

test("calls that the rules let nobody take are not run", async () => {
  const thread = new Thread();
  thread.stored.take = async () => false;
  const run = thread.follow(elsewhere("one"), { act: () => assert.fail("it was run") });
  await assert.rejects(run.result, { code: "failed-precondition" });
});

test("calls that were answered while something waits for a person are not run again", async () => {
  const thread = new Thread();
  const outcome = { type: "interrupt", interrupts: [QUESTION], pendingToolCallIds: ["1"] };
  thread.runs.r.result = { ...LEFT, outcome };
  const tools = { act: () => assert.fail("it was run") };
  for (const why of ["isAnswered", "isLate"]) {
    thread.waits = { runId: "r", [why]: true };
    const run = thread.follow(new Locks(), tools);
    const result = await run.result;
    assert.deepEqual(result.outcome, { type: "interrupt", interrupts: [QUESTION] });
    assert.deepEqual(run.interrupts, [QUESTION]);
  }
  const decide = () => ({ approved: true });
  assert.deepEqual(await thread.follow(new Locks(), tools, { decide }).result, END);
  assert.equal(thread.answers[0].resume.length, 1);
});

test("calls that nobody waits for are not run", async () => {
  const thread = new Thread();
  thread.waits = { runId: "another" };
  const run = thread.follow(new Locks(), { act: () => assert.fail("it was run") });
  await assert.rejects(run.result, { code: "failed-precondition" });
});

test("a look at the thread that is a moment old is taken again", async () => {
  const thread = new Thread();
  const { waiting } = thread.stored;
  let looks = 0;
  thread.stored.waiting = async () => (looks++ ? waiting() : undefined);
  assert.deepEqual(await thread.follow(new Locks(), { act: () => ({}) }).result, END);
  assert.equal(looks, 2);
});

test("calls that were answered are not run again where the thread is told late", async () => {
  const thread = new Thread();
  thread.stored.waiting = async () => ({ runId: "r" });
  let ran = 0;
  const act = { reads: true, run: () => ({ ran: (ran += 1) }) };
  const locks = new Locks();
  const runs = [1, 2].map(() => thread.follow(locks, { act }));
  assert.deepEqual(await Promise.all(runs.map(({ result }) => result)), [END, END]);
  assert.equal(ran, 1);
});

test("a look-up that is lost on the way is made again", async () => {
  const thread = new Thread();
  const { waiting } = thread.stored;
  let lost = 0;
  thread.stored.waiting = async () => {
    if (lost++ < 2) throw networkError();
    return waiting();
  };
  assert.deepEqual(await thread.follow(new Locks(), { act: () => ({}) }).result, END);
  assert.equal(lost, 3);
});
