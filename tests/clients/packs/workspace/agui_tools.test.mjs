// Tools of the app in a front end of AG-UI's own client: left pending, answered, approved, edited.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { buildResumeArray } from "@ag-ui/client";
import { AgentCapabilitiesSchema } from "@ag-ui/core/schemas";
import { signInWithEmailAndPassword } from "firebase/auth";

import { agentOf, checkedEvents, run, types, URL } from "../../agui_support.mjs";
import { App, DEMO, seed } from "../../support.mjs";

let noa;

before(async () => {
  await seed();
  noa = new App("front");
  await signInWithEmailAndPassword(noa.auth, DEMO.email, DEMO.password);
});
after(async () => {
  await noa?.close();
  assert.ok(checkedEvents > 50, `only ${checkedEvents} events were checked`);
});

async function offered() {
  const response = await fetch(`${URL}/agui/workspace`, {
    headers: { Authorization: `Bearer ${await noa.auth.currentUser.getIdToken()}` },
  });
  const declared = AgentCapabilitiesSchema.parse(await response.json());
  assert.equal(declared.tools.clientProvided, true);
  return declared.custom.clientTools;
}

test("a tool of the app is left pending by a run that succeeds, and answered in the next", async () => {
  const tools = await offered();
  const agent = agentOf(noa, "workspace");
  let ran = await run(agent, "Read the file notes.txt", { tools });
  assert.equal(ran.ours.toolsLeftOut, undefined);
  const [id] = ran.finished.pendingToolCallIds;
  const start = ran.events.find((event) => event.type === "TOOL_CALL_START");
  assert.equal(start.toolCallId, id);
  assert.equal(start.toolCallName, "read_file");
  assert.ok(!types(ran.events).includes("TOOL_CALL_RESULT"));
  const { turnId } = ran.result;
  for (let n = 0; n < 5 && ran.finished.pendingToolCallIds.length; n += 1) {
    for (const toolCallId of ran.finished.pendingToolCallIds) {
      const content = JSON.stringify({
        path: "notes.txt",
        content: "water the lemons\n",
        size: 17,
        digest: "0123456789abcdef",
        lines: 1,
        startLine: 1,
        endLine: 1,
      });
      agent.addMessage({ id: crypto.randomUUID(), role: "tool", toolCallId, content });
    }
    ran = await run(agent, null, { tools });
  }
  assert.deepEqual(ran.finished.pendingToolCallIds, []);
  assert.equal(ran.result.turnId, turnId);
  assert.ok(ran.result.message);
});

describe("a tool of the app that needs a yes", () => {
  /** What a front end does with the calls that a run left to it, and the run that goes on. */
  async function carriedOut(agent, { finished, result }, tools, perform) {
    for (const id of finished.pendingToolCallIds) {
      const shown = agent.messages.flatMap((each) => each.toolCalls ?? []);
      const call = shown.find((each) => each.id === id);
      const record = result.toolCalls.find((each) => each.id === id);
      assert.equal(record.status, "client");
      const answer = perform(call.function.name, record.arguments);
      const message = { id: crypto.randomUUID(), role: "tool", toolCallId: id };
      agent.addMessage({ ...message, ...answer });
    }
    return run(agent, null, { tools });
  }

  const missing = () => ({ content: "", error: "there is no such file" });

  const written = ({ path, content }) => {
    const told = { path, size: content.length, digest: "0123456789abcdef", created: true };
    return { content: JSON.stringify(told) };
  };

  async function asked() {
    const tools = await offered();
    const agent = agentOf(noa, "workspace");
    let ran = await run(agent, 'Create notes.txt with: "water the lemons"', { tools });
    while (ran.finished.pendingToolCallIds?.length) {
      ran = await carriedOut(agent, ran, tools, missing);
    }
    assert.equal(ran.finished.outcome, "interrupt", ran.result?.message);
    const [interrupt] = ran.finished.interrupts;
    assert.equal(interrupt.reason, "tool_call");
    return { agent, tools, interrupt };
  }

  async function decided({ agent, tools, interrupt }, payload) {
    const answers = { [interrupt.id]: { status: "resolved", payload } };
    return run(agent, null, { tools, resume: buildResumeArray(agent.pendingInterrupts, answers) });
  }

  test("is left pending by the run after the yes, and its answer goes on", async () => {
    const asking = await asked();
    const ran = await decided(asking, { approved: true });
    assert.deepEqual(ran.finished.pendingToolCallIds, [asking.interrupt.toolCallId]);
    // The protocol: what was begun before the interrupt is not begun again.
    assert.deepEqual(types(ran.events).filter((type) => type.startsWith("TOOL_CALL")), []);
    const done = [];
    const ended = await carriedOut(asking.agent, ran, asking.tools, (name, given) => {
      done.push([name, given.path, given.content.trim()]);
      return written(given);
    });
    assert.deepEqual(done, [["write_file", "notes.txt", "water the lemons"]]);
    assert.deepEqual(ended.finished.pendingToolCallIds, []);
    assert.match(ended.result.message, /notes\.txt/);
    assert.deepEqual(ended.result.toolCalls.map((each) => each.status), ["done"]);
  });

  test("is run as the person changed it", async () => {
    const asking = await asked();
    const { properties } = asking.interrupt.responseSchema;
    assert.equal(properties.editedArgs.type, "object");
    const editedArgs = { ...asking.interrupt.metadata.arguments, content: "feed the cat\n" };
    const ran = await decided(asking, { approved: true, editedArgs });
    const ended = await carriedOut(asking.agent, ran, asking.tools, (_, given) => {
      assert.equal(given.content, "feed the cat\n");
      return written(given);
    });
    assert.equal(ended.result.toolCalls[0].arguments.content, "feed the cat\n");
  });

  test("is not left to the front end after a no", async () => {
    const asking = await asked();
    const ran = await decided(asking, { approved: false, reason: "not now" });
    assert.deepEqual(ran.finished.pendingToolCallIds, []);
    assert.deepEqual(ran.result.toolCalls.map((each) => each.status), ["rejected"]);
  });
});

test("a tool of the app must be registered for clients, as it is offered", async () => {
  const [tool] = await offered();
  const parameters = { type: "object", properties: { x: { type: "string" } } };
  const other = { ...tool, parameters };
  const own = { name: "my_own_tool", description: "Mine", parameters: {} };
  const server = { name: "send_message", description: "Without asking", parameters: {} };
  const agent = agentOf(noa, "workspace");
  const { ours } = await run(agent, "Hello", { tools: [other, own, server] });
  assert.deepEqual(
    ours.toolsLeftOut.map((each) => each.name),
    [tool.name, "my_own_tool", "send_message"],
  );
});
