// A web app with the real Firebase SDK: signs in, streams a run, reads it back, is kept out of
// what is another's.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { signInAnonymously, signInWithEmailAndPassword, signOut } from "firebase/auth";
import {
  collection,
  deleteDoc,
  doc,
  getDoc,
  getDocs,
  orderBy,
  query,
  updateDoc,
  where,
} from "firebase/firestore";

import { App, DEMO, denied, refused, seed } from "../../support.mjs";

const PRIORITIES = { agent: "messaging", message: "What are my priorities?" };

describe("run_agent", () => {
  let noa; // the demo user
  let guest; // somebody else, signed in anonymously
  let nobody; // not signed in

  before(async () => {
    await seed();
    [noa, guest, nobody] = ["noa", "guest", "nobody"].map((name) => new App(name));
    await signInWithEmailAndPassword(noa.auth, DEMO.email, DEMO.password);
    await signInAnonymously(guest.auth);
  });
  after(() => Promise.all([noa, guest, nobody].map((app) => app?.close())));

  test("streams a run as it happens, from its start to its result", async () => {
    const { events, times, result } = await noa.stream("run_agent", PRIORITIES);
    const types = events.map((event) => event.type);
    const text = (event) => event.type === "TEXT_MESSAGE_CONTENT";
    const said = events.findLast((event) => event.type === "TEXT_MESSAGE_START").messageId;
    const answer = events.filter((event) => text(event) && event.messageId === said);

    assert.equal(types[0], "RUN_STARTED");
    assert.equal(types.at(-1), "RUN_FINISHED");
    const places = ["TOOL_CALL_START", "TOOL_CALL_END", "TOOL_CALL_RESULT"].map((type) =>
      types.indexOf(type),
    );
    places.push(events.indexOf(answer[0]));
    assert.ok(places[0] > 0, types.join(" "));
    assert.deepEqual(places, places.toSorted((a, b) => a - b), types.join(" "));
    assert.deepEqual(events.at(-1).result, result);
    assert.equal(answer.map((event) => event.delta).join(""), result.message);

    assert.ok(times[places[2]] > times[0] && times.at(-1) > times[places[0]]);
  });

  test("holds no event back for the next", async () => {
    let ms = 0;
    for (let tries = 0; ms <= 5 && tries < 5; tries++) {
      const { times } = await noa.stream("run_agent", PRIORITIES);
      ms = times.at(-1) - times[0]; // a busy machine may hand all of a run over at once
    }
    assert.ok(ms > 5, `all within ${ms} ms, five times`);
  });

  test("answers a plain call with the same shape", async () => {
    const { result } = await noa.stream("run_agent", PRIORITIES);
    const plain = await noa.call("run_agent", PRIORITIES);
    assert.deepEqual(Object.keys(plain).sort(), Object.keys(result).sort());
    assert.equal(plain.message, result.message);
    assert.deepEqual(plain.outcome, { type: "success" });
    assert.deepEqual(
      plain.toolCalls.map((call) => [call.tool, call.status]),
      [["get_priority_messages", "done"]],
    );
    assert.ok(plain.citations.length > 0);
    assert.notEqual(plain.threadId, result.threadId);
  });

  test("runs once for one runId", async () => {
    const request = { ...PRIORITIES, runId: crypto.randomUUID() };
    const first = await noa.call("run_agent", request);
    const { events, result } = await noa.stream("run_agent", request);
    assert.deepEqual(result, first);
    assert.equal(events[0].runId, request.runId);
    const other = { ...request, message: "Something else" };
    await refused(noa, "run_agent", other, { code: "already-exists", field: "runId" });
  });

  test("continues a thread, which its owner can read and rename in Firestore", async () => {
    const first = await noa.call("run_agent", { ...PRIORITIES, message: "Hello" });
    const { threadId } = first;
    const second = await noa.call("run_agent", { ...PRIORITIES, threadId });
    assert.equal(second.threadId, threadId);

    const mine = where("uid", "==", noa.auth.currentUser.uid);
    const log = collection(noa.db, "threads", threadId, "messages");
    const messages = (await getDocs(query(log, mine, orderBy("n")))).docs.map((m) => m.data());
    assert.deepEqual(
      messages.filter((message) => message.role === "user").map((m) => m.parts[0].text),
      ["Hello", PRIORITIES.message],
    );
    const run = await getDoc(doc(noa.db, "threads", threadId, "runs", second.runId));
    assert.equal(run.data().status, "done");
    const thread = doc(noa.db, "threads", threadId);
    await updateDoc(thread, { title: "Mine", status: "archived" });
    assert.equal((await getDoc(thread)).data().title, "Mine");
    await denied(deleteDoc(thread));
    await denied(updateDoc(thread, { lease: "mine" }));
  });

  test("keeps everybody else out of a thread, here and in Firestore", async () => {
    const { threadId, runId } = await noa.call("run_agent", PRIORITIES);
    const intruding = { ...PRIORITIES, threadId };
    await refused(guest, "run_agent", intruding, { code: "permission-denied", field: "threadId" });
    for (const app of [guest, nobody]) {
      const thread = doc(app.db, "threads", threadId);
      const hers = where("uid", "==", noa.auth.currentUser.uid);
      await denied(getDoc(thread));
      await denied(getDoc(doc(thread, "runs", runId)));
      await denied(getDoc(doc(thread, "messages", "00000000")));
      await denied(getDocs(query(collection(app.db, "threads"), hers)));
      await denied(getDocs(query(collection(thread, "messages"), hers)));
      await denied(updateDoc(thread, { title: "Not hers" }));
    }
  });

  test("tells somebody who is in no conversation so, and nothing of others'", async () => {
    const result = await guest.call("run_agent", PRIORITIES);
    assert.equal(result.outcome.type, "success");
    assert.deepEqual(result.citations, []);
  });

  test("refuses before a run starts, in the stream and in its result", async () => {
    const cases = [
      [{ agent: "nobody", message: "Hi" }, { code: "not-found", field: "agent" }],
      [{ agent: "messaging" }, { code: "invalid-argument", field: "data" }],
      [{ ...PRIORITIES, threadId: "none" }, { code: "not-found", field: "threadId" }],
      [{ ...PRIORITIES, userId: "noa" }, { code: "invalid-argument", field: "userId" }],
    ];
    for (const [data, expected] of cases) await refused(noa, "run_agent", data, expected);
    await refused(nobody, "run_agent", PRIORITIES, { code: "unauthenticated" });
  });
});

describe("a capability by itself", () => {
  let noa;
  before(async () => {
    noa = new App("direct");
    await signInWithEmailAndPassword(noa.auth, DEMO.email, DEMO.password);
  });
  after(() => noa.close());

  test("answers, and names the argument that is wrong", async () => {
    const found = await noa.call("get_priority_messages", { arguments: { limit: 3 } });
    assert.equal(found.messages.length, 3);
    assert.ok(found.totalFound >= 3);
    const times = found.messages.map((message) => message.timestamp);
    assert.deepEqual(times, times.toSorted().reverse());
    await refused(
      noa,
      "get_priority_messages",
      { arguments: { limit: -1 } },
      { code: "invalid-argument", field: "arguments.limit" },
    );
  });

  test("is out of reach after signing out, as is Firestore", async () => {
    const mine = where("participantIds", "array-contains", noa.auth.currentUser.uid);
    const conversations = query(collection(noa.db, "conversations"), mine);
    assert.ok((await getDocs(conversations)).size > 0);
    await signOut(noa.auth);
    assert.equal(noa.auth.currentUser, null);
    await refused(noa, "get_priority_messages", {}, { code: "unauthenticated" });
    await denied(getDocs(conversations));
  });
});
