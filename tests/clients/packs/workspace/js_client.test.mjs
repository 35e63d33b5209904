// @rollcall/client against the real functions: a whole task with tools of the client, and a network
// that breaks at any point.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { signInAnonymously } from "firebase/auth";
import { doc, onSnapshot } from "firebase/firestore";
import { getFunctions } from "firebase/functions";

import { RETRY_POLICY } from "../../../../clients/js/src/run_stream.js";
import { Rollcall } from "../../../../clients/js/src/index.js";
import { DiskFiles } from "../../../../clients/js/src/node/index.js";
import { MemoryFiles, workspaceTools } from "../../../../clients/js/src/workspace/index.js";
import { chance } from "../../../../clients/js/test/json_values.mjs";
import { withWebLocks } from "../../../../clients/js/test/fake_server.mjs";
import { letAsk, model, network, served } from "../../js_support.mjs";
import { TASK, task, taskFolder } from "./js_task.mjs";
import { App, seed, within } from "../../support.mjs";

const FILES = { "src/a.js": "export const a = 1;\n", "src/b.js": "export const b = 2;\n" };
const NOTES = `# Notes\n\n${"Both files export a number. שני הקבצים מייצאים מספר. 😀\n".repeat(12)}`;
// `make chaos` tries more cuts, and others each time.
const IS_FULL = "CHAOS_FULL" in process.env;
const CUT_SEED = Number((IS_FULL && process.env.CHAOS_SEED) || 1);
const CUTS = IS_FULL ? 50 : 5;
/** Of an app on a network that breaks, so that it is not waited for. */
const IMPATIENT = { quiet: 1_500, most: 60_000, pause: 50 };
const ASKED = { agent: "workspace", message: "Write notes about the source files." };

/** What the model says, by what it has been answered so far in this turn. */
function notes(messages) {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const answered = messages.slice(asked).filter(({ role }) => role === "tool");
  const steps = [
    {
      text: "I look at the folder first.",
      calls: [{ name: "list_directory", args: { path: "src" } }],
    },
    {
      text: "There are two files; I read both.",
      calls: ["src/a.js", "src/b.js"].map((path) => ({ name: "read_file", args: { path } })),
    },
    { calls: [{ name: "write_file", args: { path: "NOTES.md", content: NOTES } }] },
    { text: "The notes are written in NOTES.md, and say what both files export." },
  ];
  return steps[{ 0: 0, 1: 1, 3: 2, 4: 3 }[answered.length]];
}

describe("the JavaScript client", () => {
  let goOn;
  const rest = new Promise((resolve) => (goOn = resolve));
  let app;
  let script;
  let fn;

  before(async () => {
    await seed();
    app = new App("js-client");
    await signInAnonymously(app.auth);
    await letAsk(app.auth.currentUser.uid);
    script = await model((messages) =>
      messages.some(({ content }) => JSON.stringify(content).includes(TASK.message))
        ? task(messages, rest)
        : notes(messages),
    );
    fn = await served(script.url);
  });
  after(async () => {
    await app?.close();
    fn?.close();
    script?.close();
  });

  /** A Rollcall that reaches the function by this port, in an app's own words. */
  function rollcall(port, { stored = true, retryPolicy = IMPATIENT } = {}) {
    const functions = getFunctions(app.app, `http://127.0.0.1:${port}`);
    const firebase = stored ? { firestore: app.db, auth: app.auth } : {};
    return new Rollcall({ functions, ...firebase, retryPolicy });
  }

  /** Have notes written: what was said and done in the end, and the events on the way. */
  async function work(port, { onEvent = () => {}, ...options } = {}) {
    const files = new MemoryFiles(FILES);
    const events = [];
    const run = rollcall(port, options).run({
      ...ASKED,
      clientTools: workspaceTools(files),
      decide: () => {
        assert.deepEqual(Object.keys(files.texts), Object.keys(FILES)); // nothing before the yes
        return { approved: true };
      },
    });
    for await (const event of run) {
      events.push(event);
      onEvent(event);
    }
    await run.result;
    return { events, files: files.texts, transcript: transcript(run) };
  }

  function transcript(run) {
    return {
      text: run.text,
      messages: run.messages.map(({ text }) => text),
      calls: run.calls.map(({ tool, arguments: args, record }) => ({
        tool,
        args,
        status: record.status,
      })),
    };
  }

  /** Whether each run's events are there once, in order. */
  function assertWhole(events) {
    let next = 0;
    for (const { type, metadata } of events) {
      if (type === "RUN_STARTED") next = 0;
      if (type === "ACTIVITY_SNAPSHOT" && !metadata) continue; // the client's own
      assert.equal(metadata?.n, next++, type);
    }
  }

  describe("a whole task in a folder", () => {
    const tools = TASK.STEPS.map(({ calls }) => calls.map(({ name }) => name));
    const asked = []; // the tool of each yes, with what was on the disk before it
    const shown = { content: "", at: undefined };
    let run;
    let files;

    before(async () => {
      const folder = await taskFolder();
      run = rollcall(fn.port, { retryPolicy: RETRY_POLICY }).run({
        agent: "workspace",
        message: TASK.message,
        clientTools: workspaceTools(new DiskFiles(folder.path)),
        decide: async ({ metadata: { tool } }) => {
          asked.push([tool, await folder.read("farewell.mjs"), await folder.read("runs")]);
          return { approved: true };
        },
      });
      run.on("arguments", ({ call, added }) => {
        if (call.tool !== "write_file") return;
        for (const { path, text } of added) if (path[0] === "content") shown.content += text;
        if (!shown.content) return;
        shown.at ??= performance.now();
        goOn(); // the model waits for this before it ends the call
      });
      await within(180_000, run.result, "the task");
      files = await folder.all();
      await folder.remove();
    });

    test("content is seen while its call is not complete", () => {
      const ms = shown.at - script.contentAt;
      console.log(`the first character was shown ${ms.toFixed()} ms after the model wrote it`);
      assert.ok(ms > 0);
      assert.equal(shown.content, TASK.WRITTEN);
    });

    test("nothing is written or run before the yes, and each once after it", () => {
      assert.deepEqual(asked, [
        ["write_file", undefined, undefined],
        ["run_command", TASK.WRITTEN, undefined],
        ["edit_file", TASK.WRITTEN, "run\n"],
        ["run_command", TASK.MENDED, "run\n"],
      ]);
      assert.deepEqual(files, { ...TASK.FILES, "farewell.mjs": TASK.MENDED, runs: "run\nrun\n" });
    });

    test("its calls are told in order: the test fails, then passes", async () => {
      const { outcome, message } = await run.result;
      assert.deepEqual([outcome.type, message], ["success", TASK.STEPS.at(-1).text]);
      const told = run.calls.map(({ tool, record }) => [tool, record.status]);
      assert.deepEqual(
        told,
        tools.flat().map((tool) => [tool, "done"]),
      );
      const commands = run.calls.filter(({ tool }) => tool === "run_command");
      assert.deepEqual(
        commands.map(({ record }) => record.result.exitCode),
        [1, 0],
      );
    });

    test("the log has one turn, with each step once", async () => {
      const { entries, older } = await rollcall(fn.port).threads.messages(run.threadId);
      const [question, ...steps] = entries;
      assert.equal(older, undefined);
      assert.deepEqual([question.role, question.text], ["user", TASK.message]);
      assert.deepEqual(
        steps.map(({ calls = [] }) => calls.map(({ tool }) => tool)),
        tools,
      );
      assert.ok(steps.every(({ turnId }) => turnId === question.turnId));
    });

    test("the model is asked once a step, and told what both files say in one", () => {
      const results = script.asked.map((each) => each.filter(({ role }) => role === "tool"));
      assert.deepEqual(
        results.map(({ length }) => length),
        [0, 1, 3, 4, 5, 6, 7],
      );
      const contents = results[2].slice(1).map(({ content }) => JSON.parse(content).output.content);
      assert.deepEqual(contents, Object.values(TASK.FILES));
    });
  });

  test("two tabs that follow one run run its tools once, and are told the same", async () => {
    const files = new MemoryFiles(FILES);
    const ran = [];
    const tools = Object.entries(workspaceTools(files)).map(([name, tool]) => {
      const handle = tool.run ?? tool;
      return [name, { ...tool, run: (args, call) => (ran.push(name), handle(args, call)) }];
    });
    const habits = { clientTools: Object.fromEntries(tools), decide: () => ({ approved: true }) };
    const tab = () => rollcall(fn.port, { retryPolicy: RETRY_POLICY });
    const tabs = withWebLocks(() => [tab(), tab()]);
    const run = tabs[0].run({ ...ASKED, ...habits });
    for await (const { type } of run) if (type === "RUN_STARTED") break;
    const { threadId, runId } = run;
    const stop = onSnapshot(doc(app.db, "threads", threadId), () => {}); // as an app may do itself
    const other = tabs[1].follow({ agent: ASKED.agent, threadId, runId, ...habits });
    const both = Promise.all([run.result, other.result]);
    const results = await within(180_000, both, "both").finally(stop);
    assert.deepEqual(results[1], results[0]);
    assert.deepEqual(transcript(other), transcript(run));
    assert.deepEqual(ran, ["list_directory", "read_file", "read_file", "write_file"]);
    assert.equal(files.texts["NOTES.md"], NOTES);
  });

  describe("on a network that breaks", () => {
    let expected;
    let files;
    let bytes; // of the whole turn, as they come back
    const begins = []; // of its runs, each after so many bytes

    before(async () => {
      const whole = await network(fn.port);
      const onEvent = ({ type }) => type === "RUN_STARTED" && begins.push(whole.state.bytes);
      ({ transcript: expected, files } = await work(whole.port, { onEvent }).finally(whole.close));
      bytes = whole.state.bytes;
    });

    /** The task with cuts after so many bytes each: how many there were, and how it was told. */
    async function broken(cuts, options) {
      const net = await network(fn.port, cuts);
      const { events, transcript, files: left } = await work(net.port, options).finally(net.close);
      const about = `cut after ${cuts} of ${bytes} bytes`;
      assert.deepEqual(left, files, about);
      const rewound = events.some(({ type }) => type === "CUSTOM");
      return { about, transcript, cuts: net.state.cut, events: rewound ? [] : events };
    }

    /** Work all of these, four at a time. */
    async function each(items, once) {
      const left = items[Symbol.iterator]();
      const worker = async () => {
        for (const item of left) await once(item);
      };
      await Promise.all([1, 2, 3, 4].map(worker));
    }

    test(
      "cuts at random points change nothing of what was said and done",
      { timeout: 600_000 },
      async () => {
        const random = chance(CUT_SEED);
        let [turns, count] = [0, 0];
        // A cut behind what came over the network, which may be less than there was at first, is none.
        function* points() {
          for (; turns < CUTS || count < CUTS; turns++) {
            const first = 1 + random(bytes);
            yield random(2) ? [first] : [first, 1 + random(bytes)];
          }
        }
        await each(points(), async (cuts) => {
          const { about, transcript, cuts: made, events } = await broken(cuts);
          assert.deepEqual(transcript, expected, about);
          assertWhole(events);
          count += made;
        });
        console.log(`${count} cuts in ${turns} turns of ${bytes} bytes`);
      },
    );

    test("cuts where a run begins change nothing, either", { timeout: 300_000 }, async () => {
      await each(
        (IS_FULL ? begins : begins.slice(0, 2)).flatMap((at) => [[Math.max(1, at - 400)], [at - 1], [at + 1]]),
        async (cuts) => {
          const { about, transcript, events } = await broken(cuts);
          assert.deepEqual(transcript, expected, about);
          assertWhole(events);
        },
      );
    });

    test("without Firestore they change nothing, either", { timeout: 300_000 }, async () => {
      const random = chance(CUT_SEED + 1);
      await each(
        Array.from({ length: IS_FULL ? 20 : 2 }, () => [1 + random(bytes)]),
        async (cuts) => {
          const { about, transcript, events } = await broken(cuts, { stored: false });
          assert.deepEqual(transcript, expected, about);
          assertWhole(events);
        },
      );
    });
  });
});
