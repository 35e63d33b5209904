// CopilotKit's runtime in front of `agui`: an answer with a tool, and its stop button. The runtime is
// no dependency of this project: COPILOTKIT names a folder where `@copilotkit/runtime` is installed.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { signInAnonymously } from "firebase/auth";

import { model, served } from "../clients/js_support.mjs";
import { App, followed, seed } from "../clients/support.mjs";

const LONG = "Tell me all of it";
const BASE = "http://copilot.test/api";
const installed = createRequire(`${process.env.COPILOTKIT}/package.json`);
const load = (name) => import(pathToFileURL(installed.resolve(name)));

let user;
let script;
let agui;
let handle;

before(async () => {
  await seed();
  user = new App("copilot");
  await signInAnonymously(user.auth);
  script = await model((messages) => {
    const { role, content } = messages.at(-1);
    if (content.includes(LONG)) {
      return { text: "A long answer that is never finished.", rest: new Promise(() => {}) };
    }
    if (role === "tool") return { text: "That is all there is." };
    return { calls: [{ name: "get_user_conversations", args: {} }] };
  });
  agui = await served(script.url, "agui");
  const { HttpAgent } = await load("@ag-ui/client");
  const { CopilotRuntime, createCopilotRuntimeHandler } = await load("@copilotkit/runtime/v2");
  const assistant = new HttpAgent({
    url: `http://127.0.0.1:${agui.port}/messaging`,
    headers: { Authorization: `Bearer ${await user.auth.currentUser.getIdToken()}` },
  });
  const runtime = new CopilotRuntime({ agents: { assistant } });
  handle = createCopilotRuntimeHandler({ runtime, basePath: new URL(BASE).pathname });
});
after(() => Promise.all([user?.close(), agui?.close(), script?.close()]));

function post(path, body) {
  const headers = { "Content-Type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  return handle(new Request(`${BASE}/agent/assistant/${path}`, request));
}

/** Say something in a thread: the events of the run, each given to `onEvent` as it comes. */
async function say(threadId, content, onEvent = () => {}) {
  const message = { id: crypto.randomUUID(), role: "user", content };
  const given = { threadId, runId: crypto.randomUUID(), messages: [message] };
  const response = await post("run", { ...given, tools: [], context: [], state: {}, forwardedProps: {} });
  assert.equal(response.status, 200, await response.clone().text().catch(() => ""));
  const events = [];
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split("\n\n");
    text = frames.pop();
    for (const frame of frames.filter((each) => each.startsWith("data: "))) {
      events.push(JSON.parse(frame.slice("data: ".length)));
      await onEvent(events.at(-1));
    }
  }
  return { events, runId: given.runId };
}

test("an answer comes with its tool and its result", async () => {
  const { events } = await say(crypto.randomUUID(), "Which conversations do I have?");
  const types = events.map(({ type }) => type);
  for (const type of ["RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_RESULT", "RUN_FINISHED"]) {
    assert.ok(types.includes(type), JSON.stringify(events));
  }
  const deltas = events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT");
  assert.equal(deltas.map(({ delta }) => delta).join(""), "That is all there is.");
});

test("its stop button cancels the run, and the thread is free for the next message", async () => {
  const threadId = crypto.randomUUID();
  let ours;
  let stopped;
  const { runId } = await say(threadId, LONG, ({ type, metadata }) => {
    ours ??= metadata?.rollcall;
    if (type === "TEXT_MESSAGE_CONTENT") stopped ??= post(`stop/${threadId}`, {});
  });
  assert.equal((await stopped).status, 200);
  const stored = await followed(user, ours.threadId, runId);
  assert.equal(stored.at(-1).outcome.type, "cancelled");
  const { events } = await say(threadId, "Which conversations do I have?");
  assert.equal(events.at(-1).type, "RUN_FINISHED");
});
