// A run's events come once and in order, whatever is lost on the way.

import assert from "node:assert/strict";
import { test } from "node:test";

import { RunStream } from "../src/run_stream.js";
import { chance } from "./json_values.mjs";
import {
  networkError,
  numbered,
  RETRY_POLICY,
  refusal,
  resultOf,
  runOf,
  storing,
  streaming,
} from "./fake_server.mjs";

const REQUEST = { agent: "a", message: "Hi", runId: "r" };

async function read(access, { request = REQUEST, signal = new AbortController().signal } = {}) {
  const course = new RunStream({ retryPolicy: RETRY_POLICY, ...access }, request, signal).events();
  const events = [];
  let next = await course.next();
  for (; !next.done; next = await course.next()) events.push(next.value);
  return { events, result: next.value };
}

const WHOLE = runOf(resultOf({ message: "one two three four five six seven" }));
const RESULT = WHOLE.at(-1).result;
const summary = [
  { ...WHOLE[0], metadata: undefined },
  { ...WHOLE.at(-1), metadata: undefined },
];

test("a stream that comes whole is passed on as it is", async () => {
  const { stream, asked } = streaming([...WHOLE, RESULT]);
  assert.deepEqual(await read({ stream }), { events: WHOLE, result: RESULT });
  assert.equal(asked.length, 1);
});

test("a stream that is cut at random points is continued without gap or repeat", async () => {
  const random = chance(3);
  for (let n = 0; n < 60; n++) {
    const cuts = Array.from({ length: 1 + random(3) }, () => {
      const end = random(2) ? [networkError()] : [];
      return [...WHOLE.slice(0, random(WHOLE.length + 1)), ...end];
    });
    const stored = random(2) ? storing(WHOLE, { shown: random(WHOLE.length + 1) }) : undefined;
    const { stream } = streaming(...cuts, [...WHOLE, RESULT]);
    assert.deepEqual(await read({ stream, stored }), { events: WHOLE, result: RESULT });
  }
});

test("one that ends without a word is lost, too, and found in the store", async () => {
  const { stream, asked } = streaming(WHOLE.slice(0, 4));
  const stored = storing(WHOLE, { shown: 2 });
  assert.deepEqual((await read({ stream, stored })).events, WHOLE);
  assert.equal(asked.length, 1);
});

test("a store where nothing comes is left, and the run asked for again", async () => {
  const { stream, asked } = streaming([...WHOLE.slice(0, 4), networkError()], [...WHOLE, RESULT]);
  const stored = storing(WHOLE, { shown: 3, quiet: true });
  assert.deepEqual((await read({ stream, stored })).events, WHOLE);
  assert.deepEqual(asked, [REQUEST, REQUEST]);
});

test("of a run that is told again by start and end alone, the store fills in the rest", async () => {
  const { stream } = streaming([...WHOLE.slice(0, 3), networkError()], [...summary, RESULT]);
  const stored = storing(WHOLE, { state: "done" });
  assert.deepEqual((await read({ stream, stored })).events, WHOLE);
  const again = streaming([...summary, RESULT]);
  assert.deepEqual((await read({ ...again, stored })).events, WHOLE);
  const alone = await read(streaming([...WHOLE.slice(0, 3), networkError()], [...summary, RESULT]));
  assert.deepEqual(alone.events, [...WHOLE.slice(0, 3), summary[1]]);
  assert.deepEqual(alone.result, RESULT);
});

test("events that are missing inside of a stream are fetched from the store", async () => {
  const holed = WHOLE.filter((_, n) => n !== 4 && n !== 5);
  const { stream, asked } = streaming([...holed, RESULT]);
  assert.deepEqual((await read({ stream, stored: storing(WHOLE) })).events, WHOLE);
  assert.equal(asked.length, 1);
});

test("an end that the SDK could not read is fetched from the store", async () => {
  const { stream } = streaming(WHOLE.slice(0, -1));
  const stored = storing(WHOLE);
  assert.deepEqual(await read({ stream, stored }), { events: WHOLE, result: RESULT });
});

test("a result too large for an event comes from the run's document", async () => {
  const bare = [...WHOLE.slice(0, -1), { ...WHOLE.at(-1), result: undefined }];
  const stored = { ...storing(bare), state: async () => ({ status: "running", result: RESULT }) };
  const { stream } = streaming([...WHOLE.slice(0, 2), networkError()]);
  assert.deepEqual(await read({ stream, stored }), { events: WHOLE, result: RESULT });
});

test("what a dead process told and nobody saved is said to be void, and told anew", async () => {
  const again = runOf(resultOf({ message: "another answer" }));
  const taken = numbered([
    ...WHOLE.slice(0, 4),
    { type: "TEXT_MESSAGE_END", messageId: "r-1" },
    ...again.slice(5),
  ]);
  for (const stored of [undefined, storing(taken)]) {
    const { stream } = streaming(
      [...WHOLE.slice(0, 7), networkError()],
      [...taken, again.at(-1).result],
    );
    const { events } = await read({ stream, stored });
    const rewound = { type: "CUSTOM", name: "rollcall.rewound", value: { runId: "r", n: 4 } };
    assert.deepEqual(events, [...WHOLE.slice(0, 7), rewound, ...taken.slice(4)]);
  }
});

test("a quiet stream is left when the store knows more", async () => {
  const { stream } = streaming([...WHOLE.slice(0, 3), "hang"]);
  assert.deepEqual((await read({ stream, stored: storing(WHOLE) })).events, WHOLE);
});

test("a refusal is no lost connection", async () => {
  const { stream, asked } = streaming([
    refusal("not-found", "no such agent [404]", { field: "agent" }),
  ]);
  await assert.rejects(read({ stream }), {
    code: "not-found",
    message: "no such agent",
    field: "agent",
  });
  const busy = streaming([refusal("aborted", "busy", { retryAfterS: 1, hint: "wait" })]);
  await assert.rejects(read(busy), { code: "aborted", retryAfterS: 1, hint: "wait" });
  assert.equal(asked.length + busy.asked.length, 2);
});

test("a run that goes on elsewhere is followed there", async () => {
  const longer = refusal("aborted", "this takes longer than one call may");
  const { stream } = streaming([...WHOLE.slice(0, 5), longer], [...WHOLE, RESULT]);
  assert.deepEqual((await read({ stream })).events, WHOLE);
  assert.deepEqual(
    (await read({ ...streaming([...WHOLE.slice(0, 5), longer]), stored: storing(WHOLE) })).events,
    WHOLE,
  );
});

test("an answer that finds the thread busy for a moment is sent again", async () => {
  const request = { agent: "a", threadId: "t", runId: "r", toolResults: [] };
  const { stream, asked } = streaming([refusal("aborted", "busy")], [...WHOLE, RESULT]);
  assert.deepEqual((await read({ stream }, { request })).events, WHOLE);
  assert.equal(asked.length, 2);
});

test("a run that failed says why, also when that is found in the store", async () => {
  const told = { type: "RUN_ERROR", code: "unavailable", message: "the model is gone" };
  const failed = numbered([...WHOLE.slice(0, 2), told]);
  const error = refusal("unavailable", "the model is gone", { hint: "try another" });
  await assert.rejects(read(streaming([...failed, error])), {
    code: "unavailable",
    hint: "try another",
  });
  const lost = streaming([failed[0], networkError()]);
  await assert.rejects(read({ ...lost, stored: storing(failed) }), {
    message: "the model is gone",
  });
});

test("a server that stays away is given up, with a hint", { timeout: 60_000 }, async () => {
  const { stream } = streaming([networkError()]);
  const retryPolicy = { quiet: 20, most: 300, pause: 10 };
  await assert.rejects(read({ stream, retryPolicy }), (error) => {
    assert.equal(error.code, "unavailable");
    assert.match(error.hint, /goes on/);
    return true;
  });
});

test("leaving ends it at once, and asks for nothing more", async () => {
  const leaving = new AbortController();
  const { stream, asked } = streaming([...WHOLE.slice(0, 3), "hang"]);
  setTimeout(() => leaving.abort(new Error("left")), 10);
  await assert.rejects(read({ stream }, { signal: leaving.signal }), { message: "left" });
  assert.equal(asked.length, 1);
});

test("a run of another tab is watched in the store alone", async () => {
  const { stream, asked } = streaming([]);
  const request = { threadId: "t", runId: "r" };
  for (const options of [{ shown: 2 }, { state: "done" }]) {
    const stored = storing(WHOLE, options);
    assert.deepEqual(await read({ stream, stored }, { request }), {
      events: WHOLE,
      result: RESULT,
    });
  }
  assert.equal(asked.length, 0);
});
