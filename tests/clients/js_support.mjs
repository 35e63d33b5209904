// For the tests of @rollcall/client: a model that is a script, a function that asks it, and a
// network that breaks.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NAME = "gpt-5.5";

const listening = (server) =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));

/**
 * A server that speaks OpenAI's Chat Completions.
 *
 * `script(messages)` gives the reply to a dialogue, `{ text?, calls?: [{ name, args }] }`: the same
 * to the same one, however often it is asked. It is streamed in small pieces; with `rest`, a promise,
 * the last few wait for that. `contentAt` is when the content of a file began last, `asked` has the
 * dialogues that it was asked to go on with.
 */
export async function model(script, { pieceChars = 7, pauseMs = 2 } = {}) {
  const told = { contentAt: 0, asked: [] };
  const server = createHttpServer(async (request, response) => {
    if (request.method === "GET") {
      response.writeHead(404).end(); // it lists no models
      return;
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { messages } = JSON.parse(Buffer.concat(chunks));
    told.asked.push(messages);
    const reply = script(messages);
    const pieces = [...deltas(reply, pieceChars)];
    response.writeHead(200, { "content-type": "text/event-stream" });
    let args = "";
    for (const [number, delta] of pieces.entries()) {
      if (number === pieces.length - 6) await reply.rest;
      const choice = delta.finish_reason ? delta : { delta, finish_reason: null };
      const has = args.includes('"content":"');
      args += delta.tool_calls?.[0].function.arguments ?? "";
      if (!has && args.includes('"content":"')) told.contentAt = performance.now();
      response.write(frame({ choices: [{ index: 0, delta: {}, ...choice }] }));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    const usage = { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 };
    response.end(`${frame({ choices: [], usage })}data: [DONE]\n\n`);
  });
  const port = await listening(server);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return Object.assign(told, { url: `http://127.0.0.1:${port}/v1`, close });
}

/** Set no bound to what a user asks and uses up. */
export async function letAsk(uid) {
  const none = { nullValue: null };
  const bounds = { runsPerMinute: none, runsAtOnce: none, usdPerDay: none, tokensPerDay: none };
  const users = { mapValue: { fields: { [uid]: { mapValue: { fields: bounds } } } } };
  const { FIRESTORE_EMULATOR_HOST: host, GCLOUD_PROJECT: project } = process.env;
  const limits = `http://${host}/v1/projects/${project}/databases/(default)/documents/budgets/limits`;
  const field = encodeURIComponent(`users.\`${uid}\``); // quoted: an id may begin with a digit
  const answer = await fetch(`${limits}?updateMask.fieldPaths=${field}`, {
    method: "PATCH",
    headers: { Authorization: "Bearer owner", "Content-Type": "application/json" },
    body: JSON.stringify({ fields: { users } }),
  });
  assert.ok(answer.ok, await answer.text());
}

const frame = (fields) =>
  `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: NAME, ...fields })}\n\n`;

function* deltas({ text = "", calls = [] }, pieceChars) {
  const pieces = (whole) => whole.match(new RegExp(`[^]{1,${pieceChars}}`, "gu")) ?? [];
  yield { role: "assistant" };
  for (const content of pieces(text)) yield { content };
  for (const [index, { name, args }] of calls.entries()) {
    const id = `call_${index}`;
    yield { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
    for (const piece of pieces(JSON.stringify(args))) {
      yield { tool_calls: [{ index, function: { arguments: piece } }] };
    }
  }
  yield { finish_reason: calls.length ? "tool_calls" : "stop" };
}

/** A function in a process of its own, beside the emulators, with a model at this address. */
export async function served(modelUrl, target = "run_agent") {
  const port = await freePort();
  const command = [
    "-m",
    "functions_framework",
    `--target=${target}`,
    "--source=main.py",
    `--port=${port}`,
    "--host=127.0.0.1",
  ];
  const process_ = spawn(`${ROOT}functions/venv/bin/python`, command, {
    cwd: `${ROOT}functions`,
    env: {
      ...process.env,
      FUNCTION_TARGET: target,
      FUNCTIONS_EMULATOR: "true",
      NO_GCE_CHECK: "true",
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: "sk-test",
      OPENAI_API: "chat",
      ROLLCALL_MODEL: `openai:${NAME}`,
      ROLLCALL_LEASE_S: "5",
      CLOUD_TASKS_EMULATOR_HOST: "127.0.0.1:1", // nobody else asks this model
      THREADS: "16",
    },
    stdio: ["ignore", "ignore", process.env.SHOW_FUNCTION ? "inherit" : "ignore"],
    detached: true,
  });
  await up(port, process_);
  return { port, close: () => process.kill(-process_.pid, "SIGKILL") };
}

/** A port that nobody listens on; below those that systems give to connections, which would be
 * taken again before the function listens. */
async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.on("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

async function up(port, process_) {
  for (let tries = 0; tries < 600; tries++) {
    if (process_.exitCode !== null) assert.fail("the function did not start");
    const is = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.on("error", () => resolve(false));
      socket.on("connect", () => socket.end());
    });
    if (is) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail("the function did not start");
}

/**
 * A network to a port, which breaks all connections after each of these numbers of bytes that came
 * back, and then holds.
 */
export async function network(port, cuts = []) {
  const left = [...cuts];
  const sockets = new Set();
  const state = { bytes: 0, cut: 0 };
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket) && (near.destroy(), far.destroy()));
    }
    near.pipe(far);
    far.on("data", (chunk) => {
      const passed = left.length ? chunk.subarray(0, left[0]) : chunk;
      state.bytes += passed.length;
      near.write(passed);
      if (!left.length || (left[0] -= passed.length) > 0) return;
      left.shift();
      state.cut += 1;
      near.end();
      for (const socket of sockets) setTimeout(() => socket.resetAndDestroy(), 1);
    });
  });
  const own = await listening(server);
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: own, state, close };
}
