// Writes wait for a person: the answer through run_agent, by a document, and after being offline.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { signInAnonymously, signInWithEmailAndPassword } from "firebase/auth";
import {
  collection,
  disableNetwork,
  doc,
  enableNetwork,
  getDoc,
  getDocs,
  query,
  runTransaction,
  serverTimestamp,
  updateDoc,
  where,
} from "firebase/firestore";

import { App, assertWhole, DEMO, denied, followed, refused, seed, within } from "../../support.mjs";

const FIELDS = ["id", "reason", "message", "toolCallId", "responseSchema", "expiresAt"];

describe("a write of an agent", () => {
  let noa; // the demo user, on one device
  let phone; // the same user, on another
  let guest;

  before(async () => {
    await seed();
    [noa, phone, guest] = ["writes", "phone", "stranger"].map((name) => new App(name));
    await signInWithEmailAndPassword(noa.auth, DEMO.email, DEMO.password);
    await signInWithEmailAndPassword(phone.auth, DEMO.email, DEMO.password);
    await signInAnonymously(guest.auth);
  });
  after(() => Promise.all([noa, phone, guest].map((app) => app?.close())));

  /** Ask for a message to be sent: the result of the run that waits, and what it waits for. */
  async function waiting(text, runId = crypto.randomUUID()) {
    const message = `Send "${text}" to Maya Cohen`;
    const { events, result } = await noa.stream("run_agent", { agent: "messaging", message, runId });
    assert.equal(result.outcome.type, "interrupt", result.message);
    assert.equal(result.outcome.interrupts.length, 1);
    return { events, result, interrupt: result.outcome.interrupts[0] };
  }

  const resume = ({ result, interrupt }, payload) => ({
    agent: "messaging",
    threadId: result.threadId,
    resume: [{ interruptId: interrupt.id, status: "resolved", payload }],
  });

  const approval = (app, interrupt) => doc(app.db, "approvals", interrupt.id);

  const decision = (app, fields) => ({
    decision: { by: app.auth.currentUser.uid, at: serverTimestamp(), ...fields },
  });

  async function sent(text) {
    const mine = where("participantIds", "array-contains", "demo");
    const maya = where("conversationId", "==", "sample-maya");
    const found = await getDocs(query(collection(noa.db, "messages"), mine, maya));
    return found.docs.filter((message) => message.data().content === text);
  }

  async function withdraw(messages) {
    for (const { id } of messages) {
      await noa.call("withdraw_message", { arguments: { messageId: id } });
    }
  }

  test("is asked about, done once after a yes, and can be taken back", async () => {
    const asked = await waiting("one yes");
    const { result, interrupt, events } = asked;
    assert.deepEqual(Object.keys(interrupt).sort(), [...FIELDS, "metadata"].sort());
    assert.equal(interrupt.reason, "approval");
    assert.ok(interrupt.message.includes("one yes"));
    assert.deepEqual(interrupt.responseSchema.required, ["approved"]);
    assert.ok(Date.parse(interrupt.expiresAt) > Date.now());
    assert.deepEqual(interrupt.metadata.decider, { uid: "demo" });
    assert.equal(interrupt.metadata.tool, "send_message");
    const args = { conversationId: "sample-maya", content: "one yes" };
    assert.deepEqual(interrupt.metadata.arguments, args);
    assert.ok(interrupt.metadata.display.text.includes("one yes"));
    const starts = events.filter((event) => event.type === "TOOL_CALL_START");
    assert.equal(starts.at(-1).toolCallId, interrupt.toolCallId);
    assert.deepEqual(events.at(-1).outcome, result.outcome);
    assert.equal((await sent("one yes")).length, 0);

    const yes = resume(asked, { approved: true });
    const first = await noa.stream("run_agent", yes);
    assert.equal(first.result.outcome.type, "success");
    assert.equal(first.result.runId, `${result.runId}~1`);
    assert.equal(first.result.turnId, result.turnId);
    const told = first.events.find((event) => event.type === "TOOL_CALL_RESULT");
    assert.equal(told.toolCallId, interrupt.toolCallId);
    const again = await noa.call("run_agent", yes);
    assert.deepEqual(again, first.result);

    const messages = await sent("one yes");
    assert.equal(messages.length, 1);
    assert.equal(messages[0].data().sentBy, "agent");
    const [call] = first.result.toolCalls;
    assert.deepEqual(call.undo, {
      tool: "withdraw_message",
      arguments: { messageId: messages[0].id },
    });
    assert.equal((await getDoc(approval(noa, interrupt))).data().status, "approved");
    await withdraw(messages);
    assert.equal((await sent("one yes")).length, 0);
  });

  test("is done with the arguments that the person changed", async () => {
    const asked = await waiting("too soon");
    const editedArguments = { conversationId: "sample-maya", content: "later" };
    const bad = resume(asked, { approved: true, editedArguments: { content: 5 } });
    const field = "resume.0.payload.editedArguments";
    await assert.rejects(noa.call("run_agent", bad), (error) => {
      assert.equal(error.code, "functions/invalid-argument");
      assert.ok(error.details.field.startsWith(field), error.details.field);
      return true;
    });
    const yes = resume(asked, { approved: true, editedArguments });
    const done = await noa.call("run_agent", yes);
    assert.deepEqual(done.toolCalls[0].arguments, editedArguments);
    assert.equal((await sent("too soon")).length, 0);
    const messages = await sent("later");
    assert.equal(messages.length, 1);
    await withdraw(messages);
  });

  test("is decided by a document in a transaction, and the turn goes on by itself", async () => {
    const { result, interrupt } = await waiting("by transaction");
    const { threadId, runId } = result;
    await denied(updateDoc(approval(guest, interrupt), decision(guest, { approved: true })));
    await denied(updateDoc(approval(phone, interrupt), { status: "approved" }));
    await runTransaction(phone.db, async (transaction) => {
      const found = await transaction.get(approval(phone, interrupt));
      assert.equal(found.data().decision, null);
      transaction.update(found.ref, decision(phone, { approved: true }));
    });
    await denied(updateDoc(approval(phone, interrupt), decision(phone, { approved: false })));

    const events = await followed(noa, threadId, `${runId}~1`);
    assertWhole(events);
    assert.equal(events.at(-1).result.outcome.type, "success");
    assert.equal(events.at(-1).result.toolCalls[0].status, "done");
    const messages = await sent("by transaction");
    assert.equal(messages.length, 1);
    // Who asks afterwards by the function is given the same.
    const yes = resume({ result, interrupt }, { approved: true });
    assert.deepEqual(await noa.call("run_agent", yes), events.at(-1).result);
    await withdraw(messages);
  });

  test("is rejected with a reason by a device that was offline", async () => {
    const { result, interrupt } = await waiting("never");
    await getDoc(approval(phone, interrupt));
    await disableNetwork(phone.db);
    const no = decision(phone, { approved: false, reason: "לא עכשיו" });
    const written = updateDoc(approval(phone, interrupt), no);
    const runs = collection(noa.db, "threads", result.threadId, "runs");
    const mine = query(runs, where("uid", "==", "demo"));
    assert.equal((await getDocs(mine)).size, 1);
    await enableNetwork(phone.db);
    await written;

    const events = await followed(noa, result.threadId, `${result.runId}~1`);
    assertWhole(events);
    const [call] = events.at(-1).result.toolCalls;
    assert.equal(call.status, "rejected");
    assert.equal(call.error.reason, "לא עכשיו");
    assert.ok(events.at(-1).result.message.includes("לא עכשיו"));
    assert.equal((await getDocs(mine)).size, 2);
    assert.equal((await sent("never")).length, 0);
  });

  test("is not done any more once the user goes on, or cancels", async () => {
    const left = await waiting("superseded");
    const { threadId } = left.result;
    const other = { agent: "messaging", message: "What are my priorities?", threadId };
    assert.equal((await noa.call("run_agent", other)).outcome.type, "success");
    const late = { code: "failed-precondition", field: "resume.0.interruptId" };
    await refused(noa, "run_agent", resume(left, { approved: true }), late);
    await denied(updateDoc(approval(phone, left.interrupt), decision(phone, { approved: true })));

    const stopped = await waiting("cancelled");
    const about = { threadId: stopped.result.threadId, runId: stopped.result.runId };
    assert.equal((await noa.call("cancel_run", about)).status, "cancelled");
    await refused(noa, "run_agent", resume(stopped, { approved: true }), late);
    assert.equal((await sent("superseded")).length + (await sent("cancelled")).length, 0);
  });

  test("is nobody else's to decide", async () => {
    const asked = await waiting("private");
    const hidden = { code: "not-found", field: "resume.0.interruptId" };
    await refused(guest, "run_agent", resume(asked, { approved: true }), hidden);
    await denied(getDoc(approval(guest, asked.interrupt)));
    const about = { threadId: asked.result.threadId, runId: asked.result.runId };
    await refused(guest, "cancel_run", about, { code: "permission-denied", field: "runId" });
    const no = await within(60_000, noa.call("run_agent", resume(asked, { approved: false })));
    assert.equal(no.toolCalls[0].status, "rejected");
  });
});
