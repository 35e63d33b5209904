// One at a time: by Web Locks where there are any, and without.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

import { Locks } from "../src/locks.js";
import { withWebLocks } from "./fake_server.mjs";

const never = new AbortController().signal;
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Two holders of a page without Web Locks; or of two tabs, which share them. */
const PAIRS = {
  "in one page": () => {
    const locks = new Locks();
    return [locks, locks];
  },
  "in two clients of one process": () => [new Locks(), new Locks()],
  "in two tabs": () => withWebLocks(() => [new Locks(), new Locks()]),
};

for (const [where, pair] of Object.entries(PAIRS)) {
  test(`${where}, the second waits for the first, and others for nobody`, async () => {
    const [one, other] = pair();
    const told = [];
    const free = await one.take("a", never);
    const waiting = other.take("a", never).then((next) => (told.push("second"), next));
    (await other.take("b", never))();
    await soon();
    assert.deepEqual(told, []);
    free();
    free();
    const next = await waiting;
    const third = one.take("a", never).then((last) => (told.push("third"), last));
    await soon();
    assert.deepEqual(told, ["second"]);
    next();
    (await third)();
    (await other.take("a", never))();
  });

  test(`${where}, an abort ends the waiting, and keeps nobody else waiting`, async () => {
    const [one, other] = pair();
    const free = await one.take("a", never);
    const stopping = new AbortController();
    const left = other.take("a", stopping.signal);
    const next = other.take("a", never);
    stopping.abort(new Error("left"));
    await assert.rejects(left, { message: "left" });
    await assert.rejects(other.take("a", AbortSignal.abort(new Error("no"))), { message: "no" });
    free();
    (await next)();
  });
}

test("a page without an origin, which has no Web Locks, has its own", async () => {
  const refusing = {
    request: async () => {
      throw new DOMException("no origin", "SecurityError");
    },
  };
  const locks = withWebLocks(() => new Locks(), refusing);
  const free = await locks.take("a", never);
  const waiting = locks.take("a", never);
  free();
  (await waiting)();
});

/** Of a thread of its own: it holds a lock for a while, and tells how many others had it. */
const CODE = `
  const { parentPort, workerData } = require("node:worker_threads");
  import(workerData.module).then(async ({ Locks }) => {
    const staying = setInterval(() => {}, 1_000); // who waits for a lock does not keep Node
    const free = await new Locks().take("a", new AbortController().signal);
    parentPort.postMessage(Atomics.add(workerData.holders, 0, 1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    Atomics.sub(workerData.holders, 0, 1);
    free();
    clearInterval(staying);
  });
`;
const MODULE = new URL("../src/locks.js", import.meta.url).href;

test("threads of one process, where Node has Web Locks, take turns", { skip: !globalThis.navigator?.locks }, async () => {
  const others = [];
  const holders = new Int32Array(new SharedArrayBuffer(4));
  const worker = () =>
    new Promise((resolve, reject) => {
      const thread = new Worker(CODE, { eval: true, workerData: { module: MODULE, holders } });
      thread.on("message", (count) => others.push(count)).on("error", reject).on("exit", resolve);
    });
  await Promise.all([worker(), worker(), worker()]);
  assert.deepEqual(others, [0, 0, 0]);
});
