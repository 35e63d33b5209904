// Two Node processes that follow one run: its calls are run by one of them, also where that dies.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { createUserWithEmailAndPassword } from "firebase/auth";
import { doc, getDoc } from "firebase/firestore";

import { letAsk, model, served } from "../../js_support.mjs";
import { App, seed, within } from "../../support.mjs";

const FOLLOWER = fileURLToPath(new URL("js_follower.mjs", import.meta.url));
const ASKED = { agent: "workspace", message: "Write it down." };
const WRITE = { name: "write_file", args: { path: "NOTES.md", content: "It is written.\n" } };
const USER = { email: `${crypto.randomUUID()}@example.com`, password: "two processes" };

let app;
let script;
let fn;
let queue;
let folder;
const children = [];
/** Until it is settled, the model's reply with the call does not end. */
let rest;

before(async () => {
  await seed();
  app = new App("js-processes");
  await createUserWithEmailAndPassword(app.auth, USER.email, USER.password);
  await letAsk(app.auth.currentUser.uid);
  script = await model((messages) =>
    messages.at(-1).role === "tool" ? { text: "That is all." } : { calls: [WRITE], rest },
  );
  [fn, queue] = await Promise.all(["run_agent", "continuerun"].map((each) => served(script.url, each)));
  folder = await mkdtemp(join(tmpdir(), "processes-"));
  await mkdir(join(folder, "work"));
});
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  await app?.close();
  for (const each of [fn, queue, script]) each?.close();
  if (folder) await rm(folder, { recursive: true });
});

/** A process that follows a run: its lines as they come. */
function start(name, options) {
  const log = join(folder, `${name.split("-")[0]}.log`);
  const given = { name, port: fn.port, folder: join(folder, "work"), log, ...USER };
  const child = spawn(process.execPath, [FOLLOWER, JSON.stringify({ ...given, ...options })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await within(120_000, lines.next(), `a line of ${name}`)).value);
  const end = async () => {
    for (;;) {
      const { result } = await next();
      if (result) return result;
    }
  };
  return { child, next, end };
}

const written = async (name) => (await readFile(join(folder, `${name}.log`), "utf8")).trim().split("\n");

test("of two Node processes that follow one run, one writes, and both are told the end", async () => {
  let goOn;
  rest = new Promise((resolve) => (goOn = resolve));
  const one = start("both-1", { run: ASKED });
  const ids = await one.next();
  const others = ["both-2", "both-3"].map((name) =>
    start(name, { follow: { agent: ASKED.agent, ...ids } }),
  );
  await Promise.all(others.map(({ next }) => next()));
  goOn();
  const ends = await Promise.all([one, ...others].map(({ end }) => end()));
  for (const { message } of ends) assert.equal(message, "That is all.");
  assert.equal((await written("both")).length, 1);
  assert.equal(await readFile(join(folder, "work/NOTES.md"), "utf8"), WRITE.args.content);
});

test("where the process dies that has begun to write, no other writes, and the user is told", async () => {
  rest = undefined;
  const one = start("died-1", { run: ASKED, isStuck: true });
  const ids = await one.next();
  const waiting = async () => (await getDoc(doc(app.db, "threads", ids.threadId))).data().waiting;
  const begun = async () => {
    while (!(await written("died").catch(() => [])).length) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  await within(120_000, begun(), "the write");
  const { runId, takenBy } = await waiting();
  assert.equal(takenBy.runId, runId);
  one.child.kill("SIGKILL");
  await once(one.child, "exit");
  const other = start("died-2", { follow: { agent: ASKED.agent, threadId: ids.threadId, runId } });
  await other.next();
  await endWait(ids.threadId);
  const response = await fetch(`http://127.0.0.1:${queue.port}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ data: { threadId: ids.threadId, runId } }),
  });
  assert.ok(response.ok, await response.text());
  const { message, toolCalls } = await other.end();
  assert.equal(message, "That is all.");
  assert.equal(toolCalls.at(-1).status, "expired");
  assert.deepEqual(await written("died"), ["died-1 NOTES.md"]);
});

/** Have the client's time for its calls be over. */
async function endWait(threadId) {
  const { FIRESTORE_EMULATOR_HOST: host, GCLOUD_PROJECT: project } = process.env;
  const thread = `projects/${project}/databases/(default)/documents/threads/${threadId}`;
  const until = { timestampValue: new Date(Date.now() - 1_000).toISOString() };
  const waiting = { mapValue: { fields: { until } } };
  const response = await fetch(
    `http://${host}/v1/${thread}?updateMask.fieldPaths=waiting.until`,
    {
      method: "PATCH",
      headers: { Authorization: "Bearer owner", "Content-Type": "application/json" },
      body: JSON.stringify({ fields: { waiting } }),
    },
  );
  assert.ok(response.ok, await response.text());
}
