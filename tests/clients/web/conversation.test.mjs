// A conversation that another page goes on with, over a store whose answers the test gives.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "../../../clients/web/esbuild.mjs";

const at = (path) => fileURLToPath(new URL(`../../../clients/${path}`, import.meta.url));

let folder, Conversation;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "conversation-"));
  const outfile = join(folder, "conversation.mjs");
  await build({
    entryPoints: [at("web/src/chat/conversation.ts")],
    alias: { "@rollcall/client": at("js/src/index.js") },
    bundle: true,
    format: "esm",
    external: ["firebase/*"],
    outfile,
  });
  globalThis.navigator ??= { language: "en" };
  globalThis.localStorage ??= { getItem: () => null };
  globalThis.document = { hidden: true }; // nothing is drawn
  globalThis.window ??= new EventTarget();
  ({ Conversation } = await import(pathToFileURL(outfile)));
});

after(() => rm(folder, { recursive: true }));

/** A conversation whose first run has ended, and the states of its turns. */
async function ended(state, ...outcome) {
  const { store, conversation } = await opened();
  store.answer("first", { turnId: "first", status: "running" });
  await until(() => store.followed.length);
  store.end("first", ...outcome);
  const states = () => conversation.turns.value.map(({ view }) => view.value.state);
  await until(() => states()[0] === state);
  return { store, conversation, states };
}

test("a run that begins while the one before is read is followed", async () => {
  const { store, conversation } = await opened();
  store.tell(threadAt("second")); // the page still waits for what the store says of the first
  store.answer("first", { turnId: "first", status: "running" });
  await until(() => store.asked.includes("second"));
  store.answer("second", { turnId: "second", status: "running" });

  await until(() => store.followed.length);
  assert.deepEqual(store.followed, ["second"]);
  assert.equal(conversation.newest.value.view.value.state, "running");
  conversation.close();
});

test("a run that begins while another is followed is followed after it", async () => {
  const { store, conversation } = await opened();
  store.answer("first", { turnId: "first", status: "running" });
  await until(() => store.followed.length === 1);
  store.tell(threadAt("second"));
  store.end("first");
  await until(() => store.asked.includes("second"));
  store.answer("second", { turnId: "second", status: "running" });

  await until(() => store.followed.length === 2);
  assert.deepEqual(store.followed, ["first", "second"]);
  conversation.close();
});

test("a run that begins while reading the one before fails is followed", async (t) => {
  const warned = t.mock.method(console, "warn", () => {});
  const { store, conversation } = await opened();
  store.tell(threadAt("second"));
  store.fail("first", new Error("offline"));
  await until(() => store.asked.includes("second"));
  store.answer("second", { turnId: "second", status: "running" });

  await until(() => store.followed.length);
  assert.deepEqual(store.followed, ["second"]);
  assert.equal(warned.mock.callCount(), 1);
  conversation.close();
});

test("a message that the server refuses stays, until there is something new", async () => {
  const { store, conversation, states } = await ended("done");

  await conversation.send([{ type: "text", text: "Again" }]);
  await restsFor(20);
  assert.deepEqual(states(), ["done", "failed"]);

  store.tell(threadAt("second"));
  await until(() => store.asked.includes("second"));
  store.answer("second", { turnId: "second", status: "running" });
  await until(() => store.followed.includes("second"));
  assert.deepEqual(states(), ["done", "running"]);
  conversation.close();
});

test("a message that is refused while a decision is awaited is there to be sent again", async () => {
  const { store, conversation, states } = await ended("waiting", {
    type: "interrupt",
    interrupts: [],
  });
  store.tell({ ...threadAt("first"), lease: undefined, waiting: { runId: "first" } });

  await conversation.send([{ type: "text", text: "Again" }]);
  await until(() => conversation.unsent.value);
  assert.equal(conversation.unsent.value.text, "Again");
  assert.deepEqual(states(), ["waiting"]);
  conversation.close();
});

test("a message that is refused since another tab's run goes on is there to be sent again", async () => {
  const { store, conversation, states } = await ended("done");

  const sent = conversation.send([{ type: "text", text: "Mine" }]);
  store.tell(threadAt("second"));
  await sent;
  store.answer("second", { turnId: "second", status: "running" });
  await until(() => store.followed.includes("second"));
  assert.equal(conversation.unsent.value.text, "Mine");
  assert.deepEqual(states(), ["done", "running"]);
  conversation.close();
});

/** A conversation whose thread is at the run "first", of which nothing is answered yet. */
async function opened() {
  const store = new ScriptedStore();
  const conversation = new Conversation({ store: async () => store }, { agent: "a", threadId: "t" });
  await until(() => store.tell);
  store.tell(threadAt("first"));
  await until(() => store.asked.includes("first"));
  return { store, conversation };
}

/** Says of each run what the test lets it say. Its log has the turns that were told of. */
class ScriptedStore {
  tell = undefined;
  asked = [];
  followed = [];
  #log = [];
  #answers = new Map();
  #ends = new Map();

  rollcall = {
    run: ({ runId }) => {
      const result = Promise.reject(new Error("too many"));
      return { runId, messages: [], calls: [], result, on: () => () => {}, leave: () => {} };
    },
    threads: { messages: async () => ({ entries: this.#log, older: undefined }) },
    follow: ({ runId }) => {
      this.followed.push(runId);
      const result = new Promise((resolve) => this.#ends.set(runId, resolve));
      return { runId, messages: [], calls: [], result, on: () => () => {}, leave: () => {} };
    },
  };

  watchThread(_threadId, listener) {
    this.tell = (thread) => {
      const turnId = (thread.lease ?? thread.waiting).runId;
      const n = this.#log.length + 1;
      this.#log.push({ n, turnId, runId: turnId, role: "user", createdAt: new Date(), parts: [] });
      listener(thread);
    };
    return () => {};
  }

  run(_threadId, runId) {
    this.asked.push(runId);
    return this.#answer(runId).promise;
  }

  answer(runId, stored) {
    this.#answer(runId).resolve(stored);
  }

  fail(runId, error) {
    this.#answer(runId).reject(error);
  }

  #answer(runId) {
    if (!this.#answers.has(runId)) {
      const answer = {};
      answer.promise = new Promise((...settle) => ([answer.resolve, answer.reject] = settle));
      this.#answers.set(runId, answer);
    }
    return this.#answers.get(runId);
  }

  end(runId, outcome = { type: "success" }) {
    this.#ends.get(runId)({ turnId: runId, runId, message: "", outcome, toolCalls: [] });
  }
}

function threadAt(runId) {
  return { agent: "a", title: null, updatedAt: { seconds: 1, nanoseconds: 0 }, lease: { runId } };
}

/** Wait for something that happens within a few turns of the event loop. */
async function until(happened) {
  for (let turns = 0; !happened(); turns += 1) {
    assert.ok(turns < 1000, `it did not happen: ${happened}`);
    await turnOfTheLoop();
  }
}

/** Let everything happen that happens within a few turns of the event loop. */
async function restsFor(turns) {
  for (let left = turns; left; left -= 1) await turnOfTheLoop();
}
