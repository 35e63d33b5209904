// A thread's log by pages: each entry once, those that were replaced left out, and few of them read.

import assert from "node:assert/strict";
import { test } from "node:test";

import { all, page } from "../src/log.js";
import { chance } from "./json_values.mjs";

/** A log of these turns, `[turnId, entries, replaces?]`, and a count of what is read of it. */
function logOf(turns) {
  const entries = turns.flatMap(([turnId, count, replaces]) =>
    Array.from({ length: count }, (_, at) => ({ turnId, ...(replaces && !at && { replaces }) })),
  );
  const log = entries.map((entry, n) => ({ n, ...entry }));
  const counts = { queries: 0, reads: 0 };
  const read = async (before = Infinity, most) => {
    const found = log.filter(({ n }) => n < before).slice(-most);
    counts.queries += 1;
    counts.reads += Math.max(1, found.length); // one that finds nothing is paid for, too
    return found.toReversed();
  };
  return { log, read, counts };
}

/** All pages, the newest first. */
async function pages(read, options) {
  const found = [];
  let before;
  do {
    const { entries, older } = await page(read, { ...options, before });
    found.push(entries);
    before = older && JSON.parse(JSON.stringify(older)); // it may be kept as JSON
  } while (before);
  return found;
}

const numbers = (entries) => entries.map(({ n }) => n);

test("the newest entries come first, and older ones page by page", async () => {
  const { read } = logOf([
    ["a", 3],
    ["b", 4],
  ]);
  const found = await pages(read, { limit: 3 });
  assert.deepEqual(found.map(numbers), [[4, 5, 6], [1, 2, 3], [0]]);
});

test("a page says that it is the last, also where it is full or there is nothing", async () => {
  const { read } = logOf([["a", 6]]);
  assert.deepEqual((await pages(read, { limit: 3 })).map(numbers), [
    [3, 4, 5],
    [0, 1, 2],
  ]);
  assert.deepEqual(await page(logOf([]).read), { entries: [] });
});

test("a page is one query of one entry more than it has", async () => {
  const { read, counts } = logOf([["a", 1_000]]);
  const { entries, older } = await page(read);
  assert.equal(entries.length, 50);
  assert.deepEqual(counts, { queries: 1, reads: 51 });
  assert.equal((await page(read, { before: older })).entries.length, 50);
  assert.deepEqual(counts, { queries: 2, reads: 102 });
});

test("what was replaced is left out, also where the page is between it and what replaced it", async () => {
  const turns = [
    ["a", 2],
    ["b", 40],
    ["c", 2, "b"],
    ["d", 2, "c"],
    ["e", 1],
  ];
  for (let limit = 1; limit < 8; limit++) {
    const { read, log } = logOf(turns);
    const found = (await pages(read, { limit })).toReversed().flat();
    assert.deepEqual(found.map(({ turnId }) => turnId).join(""), "aadde", `${limit}`);
    const everything = (await pages(read, { limit, withReplaced: true })).toReversed().flat();
    assert.deepEqual(everything, log);
  }
  const { read, counts } = logOf(turns);
  await pages(read, { limit: 10 });
  assert.ok(counts.queries <= 5 && counts.reads <= 47 + 5, JSON.stringify(counts));
});

test("a replaced beginning leaves no empty page behind", async () => {
  const { read } = logOf([
    ["a", 9],
    ["b", 2, "a"],
  ]);
  assert.deepEqual((await pages(read, { limit: 2 })).map(numbers), [[9, 10]]);
});

test("pages and the whole log tell the same, whatever was replaced", async () => {
  const random = chance(7);
  for (let round = 0; round < 100; round++) {
    const turns = Array.from({ length: 1 + random(8) }, (_, n) => [
      `t${n}`,
      1 + random(6),
      ...(n && random(2) ? [`t${n - 1}`] : []),
    ]);
    const { read, log } = logOf(turns);
    const replaced = new Set(log.map(({ replaces }) => replaces));
    const expected = log.filter(({ turnId }) => !replaced.has(turnId));
    const found = await pages(read, { limit: 1 + random(7) });
    assert.deepEqual(found.toReversed().flat(), expected);
    const whole = [];
    for await (const entry of all(read)) whole.unshift(entry);
    assert.deepEqual(whole, expected);
  }
});

test("all is read as far as it is asked for", async () => {
  const { read, counts } = logOf([["a", 1_000]]);
  for await (const { n } of all(read)) if (n === 950) break;
  assert.deepEqual(counts, { queries: 1, reads: 200 });
});

test("a limit that is none is refused", async () => {
  for (const limit of [0, -1, 1.5, 501, NaN, "5"]) {
    await assert.rejects(page(logOf([]).read, { limit }), {
      code: "invalid-argument",
      field: "limit",
    });
  }
});
