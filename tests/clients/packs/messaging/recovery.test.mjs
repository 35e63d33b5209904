// What an app does when its stream is lost, asks twice, stops a run, or wants its user's data.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { signInAnonymously, signInWithEmailAndPassword } from "firebase/auth";
import { collection, doc, getDoc, getDocs, query, where } from "firebase/firestore";
import { httpsCallable } from "firebase/functions";

import { App, assertWhole, DEMO, denied, followed, refused, seed } from "../../support.mjs";

const ASKED = {
  agent: "messaging",
  message: "What are my priorities and what action items do I have?",
};

describe("a run", () => {
  let noa;
  before(async () => {
    await seed();
    noa = new App("recovery");
    await signInWithEmailAndPassword(noa.auth, DEMO.email, DEMO.password);
  });
  after(() => noa.close());

  /** Begin to stream, and lose the stream at its first event, which is returned. */
  async function lost(data) {
    const aborting = new AbortController();
    const { stream, data: result } = await httpsCallable(noa.functions, "run_agent").stream(data, {
      signal: aborting.signal,
    });
    const events = stream[Symbol.asyncIterator]();
    const { value: first } = await events.next();
    aborting.abort();
    await Promise.allSettled([events.next(), result]);
    return first;
  }

  test("goes on without its stream, and is followed in Firestore to its end", async () => {
    const started = await lost({ ...ASKED, runId: crypto.randomUUID() });
    assert.equal(started.type, "RUN_STARTED");
    const events = await followed(noa, started.threadId, started.runId);
    assertWhole(events);
    const { result } = events.at(-1);
    assert.equal(result.outcome.type, "success");
    assert.deepEqual(events[0], started);
    const run = doc(noa.db, "threads", started.threadId, "runs", started.runId);
    assert.deepEqual(JSON.parse((await getDoc(run)).data().result), result);
  });

  test("is given again to who calls again with its runId", async () => {
    const request = { ...ASKED, runId: crypto.randomUUID() };
    const { threadId } = await lost(request);
    const { events, result } = await noa.stream("run_agent", request);
    assert.equal(events[0].type, "RUN_STARTED");
    assert.equal(result.threadId, threadId);
    assert.equal(result.runId, request.runId);
    assert.equal(result.toolCalls.length, 2);
  });

  test("happens once, although it is asked for twice at once", async () => {
    const request = { ...ASKED, runId: crypto.randomUUID() };
    const [plain, streamed] = await Promise.all([
      noa.call("run_agent", request),
      noa.stream("run_agent", request),
    ]);
    assert.deepEqual(streamed.result, plain);
    // Whoever came second follows the first, or is told the start and the end of what was done.
    if (streamed.events.length > 2) assertWhole(streamed.events);
    const mine = where("uid", "==", "demo");
    const thread = doc(noa.db, "threads", plain.threadId);
    assert.equal((await getDocs(query(collection(thread, "runs"), mine))).size, 1);
    const log = await getDocs(query(collection(thread, "messages"), mine));
    assert.equal(log.docs.filter((each) => each.data().role === "user").length, 1);
  });

  test("is stopped by cancel_run wherever it is, and what it said is kept", async () => {
    const request = { ...ASKED, runId: crypto.randomUUID() };
    const { stream, data } = await httpsCallable(noa.functions, "run_agent").stream(request);
    let told;
    for await (const event of stream) {
      const { threadId, runId } = event;
      if (event.type === "RUN_STARTED") told = noa.call("cancel_run", { threadId, runId });
    }
    const [{ status }, result] = await Promise.all([told, data]);
    // A run that is about to end may end as it would have.
    assert.ok(["cancelling", "cancelled", "done"].includes(status), status);
    assert.ok(["success", "cancelled"].includes(result.outcome.type));
    const about = { threadId: result.threadId, runId: result.runId };
    const ended = result.outcome.type === "cancelled" ? "cancelled" : "done";
    assert.equal((await noa.call("cancel_run", about)).status, ended);
    const next = { ...ASKED, message: "Hello", threadId: result.threadId };
    assert.equal((await noa.call("run_agent", next)).outcome.type, "success");
    const none = { ...about, runId: "none" };
    await refused(noa, "cancel_run", none, { code: "not-found", field: "runId" });
  });
});

describe("a user's data", () => {
  let guest;
  before(async () => {
    guest = new App("data");
    await signInAnonymously(guest.auth);
  });
  after(() => guest.close());

  test("is counted, shown, cleared and erased by its user", async () => {
    const first = await guest.call("run_agent", { agent: "messaging", message: "Hello" });
    const second = await guest.call("run_agent", { agent: "messaging", message: "Hello" });

    const began = new Date();
    const usage = await guest.call("my_usage", {});
    const days = [began, new Date()].map((each) => each.toISOString().slice(0, 10));
    assert.ok(days.includes(usage.day)); // it may be midnight in between
    for (const part of ["today", "last30Days", "limits", "left", "renewsAt"]) assert.ok(usage[part]);
    assert.equal(usage.today.usd, 0); // the offline planner is free

    const exported = await everything(guest);
    const threads = exported.filter((item) => item.kind === "threads").map((item) => item.id);
    assert.deepEqual(threads.sort(), [first.threadId, second.threadId].sort());
    const words = exported.filter((item) => item.kind === "messages");
    assert.ok(words.length >= 4);

    const cleared = await guest.call("clear_thread", { threadId: first.threadId });
    assert.equal(cleared.status, "done");
    assert.equal(cleared.removed.messages, 2);
    assert.ok((await getDoc(doc(guest.db, "threads", first.threadId))).exists());
    const deleted = await guest.call("delete_thread", { threadId: first.threadId });
    assert.equal(deleted.status, "done");
    await denied(getDoc(doc(guest.db, "threads", first.threadId)));

    await refused(guest, "delete_my_data", {}, { code: "invalid-argument", field: "confirm" });
    const erased = await guest.call("delete_my_data", { confirm: true });
    assert.equal(erased.status, "done");
    const left = (await everything(guest)).map((item) => item.kind);
    assert.ok(!left.includes("threads") && !left.includes("messages"), left.join(" "));
  });

  /** All pages of an export. */
  async function everything(app) {
    const items = [];
    let cursor;
    do {
      const page = await app.call("export_my_data", cursor ? { cursor } : {});
      items.push(...page.items);
      cursor = page.cursor;
    } while (cursor);
    return items;
  }
});
