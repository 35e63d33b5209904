// A long search keeps no page waiting: it is done in slices, bounded in time, and ended by an abort.

import assert from "node:assert/strict";
import { test } from "node:test";

import { MemoryFiles, WorkspaceError, workspaceTools } from "../src/workspace/index.js";

const LINE = `${"a".repeat(1_999)}!`;
const SLOW = { query: "(a?){400}x", isRegex: true }; // some 10 ms for such a line
const many = (count) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}.txt`, `${LINE}\n${LINE}\n`]));

function search(files, args, signal = new AbortController().signal) {
  return workspaceTools(files).search_files.run(args, { id: "1", tool: "t", signal });
}

test("timers go on while it searches", async () => {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  const found = await search(new MemoryFiles(many(20)), SLOW);
  clearInterval(timer);
  assert.equal(found.total, 0);
  assert.ok(ticks >= 10, `${ticks}`);
});

test("an abort ends it between two lines", async () => {
  const stopping = new AbortController();
  let read = 0;
  const files = new MemoryFiles(many(500));
  const counted = {
    list: (path) => files.list(path),
    read: (path) => ((read += 1), files.read(path)),
  };
  setTimeout(() => stopping.abort(new Error("enough")), 20);
  await assert.rejects(search(counted, SLOW, stopping.signal), { message: "enough" });
  assert.ok(read < 500, `${read}`);
});

test("so does an abort where there are folders alone, and nothing to wait for", async () => {
  const names = Array.from({ length: 200 }, (_, n) => ({ name: `d${n}`, type: "directory" }));
  const list = async () => {
    for (const end = performance.now() + 1; performance.now() < end;);
    return names;
  };
  const endless = { list, read: async () => undefined };
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(new Error("enough")), 5);
  await assert.rejects(search(endless, { query: "x" }, stopping.signal), { message: "enough" });
});

test("after its time, what was found is told, and that there may be more", async (t) => {
  const now = performance.now.bind(performance);
  let ahead = 0;
  t.mock.method(performance, "now", () => now() + ahead);
  const files = new MemoryFiles(many(5));
  const late = {
    list: (path) => files.list(path),
    read: (path) => {
      if (path === "f2.txt") ahead = 11_000;
      return files.read(path);
    },
  };
  const found = await search(late, { query: "a" });
  assert.deepEqual([found.files, found.total, found.truncated], [2, 4, true]);
});

test("of a long line, an expression sees the beginning", async () => {
  const files = new MemoryFiles({ "a.txt": `${"a".repeat(2_000)}b` });
  assert.equal((await search(files, { query: "b", isRegex: true })).total, 0);
  const { matches } = await search(files, { query: "b" });
  assert.equal(matches[0].text.length, 2_000);
});

test("folders that are not for a model are passed over on the way", async () => {
  const files = {
    list: async (path) => {
      if (path === ".ssh") throw new WorkspaceError(".ssh: not for a model");
      const names = { ".": [".ssh", "src"], src: ["a.txt"] }[path];
      return names?.map((name) => ({ name, type: path === "." ? "directory" : "file" }));
    },
    read: async () => new TextEncoder().encode("found"),
  };
  assert.equal((await search(files, { query: "found" })).total, 1);
  await assert.rejects(search(files, { query: "found", path: ".ssh" }), /not for a model/);
});
