// @rollcall/client against the real functions: what chat users expect.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { signInWithEmailAndPassword } from "firebase/auth";

import { Rollcall } from "../../../../clients/js/src/index.js";
import { App, DEMO, seed, within } from "../../support.mjs";

describe("a chat with the JavaScript client", () => {
  const PRIORITIES = { agent: "messaging", message: "What are my priorities?" };
  let app;
  let rollcall;

  before(async () => {
    await seed();
    app = new App("js-chat");
    await signInWithEmailAndPassword(app.auth, DEMO.email, DEMO.password);
    const { functions, db: firestore, auth } = app;
    rollcall = new Rollcall({ functions, firestore, auth });
  });
  after(() => app?.close());

  test("a run is watched from another tab while it goes on, and after it", async () => {
    const run = rollcall.run(PRIORITIES);
    const events = [];
    let other;
    for await (const event of run) {
      events.push(event);
      const ids = { agent: "messaging", threadId: run.threadId, runId: run.runId };
      other ??= rollcall.follow(ids);
    }
    const seen = [];
    for await (const event of other) seen.push(event);
    assert.deepEqual(seen, events);
    assert.deepEqual(await other.result, await run.result);
    const late = rollcall.follow({ agent: "messaging", threadId: run.threadId, runId: run.runId });
    assert.deepEqual(await late.result, await run.result);
  });

  test("a refusal has its code and its field, and begins nothing", async () => {
    const run = rollcall.run({ ...PRIORITIES, agent: "nobody" });
    await assert.rejects(run.result, { name: "RollcallError", code: "not-found", field: "agent" });
    const far = { agent: "messaging", threadId: "none", runId: "none" };
    await assert.rejects(rollcall.follow(far).result, (error) =>
      ["not-found", "permission-denied"].includes(error.code),
    );
  });

  test("an answer is asked again and otherwise, and rated; the log keeps all", async () => {
    const first = rollcall.run(PRIORITIES);
    await first.result;
    const again = first.retry();
    assert.equal((await again.result).outcome.type, "success");
    const other = again.edit("Hello");
    const { threadId, turnId } = await other.result;
    assert.equal(threadId, first.threadId);
    await other.rate("up", "good");
    const { entries: current } = await rollcall.threads.messages(threadId);
    assert.deepEqual(
      current.filter(({ role }) => role === "user").map(({ text }) => text),
      ["Hello"],
    );
    assert.ok(current.every((entry) => entry.turnId === turnId));
    const { entries: all } = await rollcall.threads.messages(threadId, { withReplaced: true });
    const asked = all.filter(({ role }) => role === "user").map(({ text }) => text);
    assert.deepEqual(asked, [PRIORITIES.message, PRIORITIES.message, "Hello"]);
  });

  test("a thread is read from its newest message back, page by page or all of it", async () => {
    const { threadId } = await rollcall.run({ ...PRIORITIES, message: "One" }).result;
    for (const message of ["Two", "Three"]) {
      await rollcall.run({ ...PRIORITIES, message, threadId }).result;
    }
    const { entries: whole } = await rollcall.threads.messages(threadId);
    const asked = whole.filter(({ role }) => role === "user").map(({ text }) => text);
    assert.deepEqual(asked, ["One", "Two", "Three"]);
    const pages = [];
    let older;
    do {
      const page = await rollcall.threads.messages(threadId, { limit: 2, before: older });
      pages.unshift(page.entries);
      older = page.older;
    } while (older);
    assert.ok(pages.length > 1 && pages.every(({ length }) => length <= 2));
    assert.deepEqual(pages.flat(), whole);
    const all = [];
    for await (const entry of rollcall.threads.allMessages(threadId)) all.unshift(entry);
    assert.deepEqual(all, whole);
  });

  test("threads are listed live, renamed, archived and deleted", async () => {
    const { threadId } = await rollcall.run({ ...PRIORITIES, message: "Hello" }).result;
    let [found, failed, look] = [undefined, undefined, () => undefined];
    const stop = rollcall.threads.watch(
      (threads) => {
        found = threads.find(({ id }) => id === threadId);
        look();
      },
      { onError: (error) => failed(error) },
    );
    const shown = (what, isMet) => {
      const met = new Promise((resolve, reject) => {
        [look, failed] = [() => isMet() && resolve(), reject];
        look();
      });
      return within(120_000, met, what); // a busy emulator may be long silent
    };
    await shown("the list", () => found);
    await rollcall.threads.rename(threadId, "Mine");
    await shown("the new title", () => found?.title === "Mine");
    await rollcall.threads.archive(threadId);
    await shown("the archived thread", () => found?.status === "archived");
    stop();
    assert.ok(
      (await rollcall.threads.list({ status: "archived" })).some(({ id }) => id === threadId),
    );
    assert.ok(
      !(await rollcall.threads.list({ status: "active" })).some(({ id }) => id === threadId),
    );
    await assert.rejects(rollcall.threads.rename(threadId, ""), { code: "permission-denied" });
    assert.equal((await rollcall.threads.delete(threadId)).status, "done");
  });

  test("a run is cancelled by itself and by its signal", async () => {
    const run = rollcall.run(PRIORITIES);
    assert.ok(["cancelling", "cancelled", "done"].includes(await run.cancel()));
    assert.ok(["success", "cancelled"].includes((await run.result).outcome.type));
    const stopping = new AbortController();
    const stopped = rollcall.run({ ...PRIORITIES, signal: stopping.signal });
    for await (const event of stopped) if (event.type === "STEP_STARTED") break;
    stopping.abort(new Error("enough"));
    await assert.rejects(stopped.result, { message: "enough" });
    const { threadId, runId } = stopped;
    const { status } = await rollcall.cancel({ threadId, runId });
    assert.ok(["cancelling", "cancelled", "done"].includes(status), status);
    const next = await rollcall.run({ ...PRIORITIES, threadId }).result;
    assert.equal(next.outcome.type, "success");
  });

  test("a file goes with a message", async () => {
    const text = "The zanzibar rod is driven eight feet into the earth.\n".repeat(20_000);
    const file = new File([text], "rods.txt", { type: "text/plain" });
    const sent = [];
    const part = await rollcall.attach(file, { onProgress: (bytes) => sent.push(bytes) });
    assert.deepEqual([part.type, part.name], ["document", "rods.txt"]);
    assert.equal(sent.at(-1), file.size);
    assert.deepEqual(await rollcall.attach(file), part);
    const message = [{ type: "text", text: "What is in this file?" }, part];
    assert.equal((await rollcall.run({ ...PRIORITIES, message }).result).outcome.type, "success");
    const picture = new Uint8Array([1, 2, 3]);
    await assert.rejects(rollcall.attach(picture), { code: "invalid-argument", field: "name" });
    const about = { name: "a.exe", contentType: "application/x-msdownload" };
    await assert.rejects(rollcall.attach(picture, about), { code: "invalid-argument" });
  });

  test("a capability is called by itself", async () => {
    assert.equal((await rollcall.call("get_priority_messages", { limit: 2 })).messages.length, 2);
    const bad = rollcall.call("get_priority_messages", { limit: -1 });
    await assert.rejects(bad, { code: "invalid-argument", field: "arguments.limit" });
  });
});
