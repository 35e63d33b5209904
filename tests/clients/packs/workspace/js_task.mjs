// A whole task of the coding agent, as its model goes about it: it lists a folder, reads two files
// side by side, writes a third, runs the test, which fails, mends the file and runs the test again.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const WRITTEN = "export const farewell = (name) => `Goodbye, ${name}`;\n";
const MENDED = "export const farewell = (name) => `Goodbye, ${name}!`;\n";
const COMMAND = "node farewell.test.mjs";

const FILES = {
  "greeting.mjs": "export const greeting = (name) => `Hello, ${name}!`;\n",
  // A line for each time that it is run.
  "farewell.test.mjs": `import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";

import { farewell } from "./farewell.mjs";

appendFileSync("runs", "run\\n");
assert.equal(farewell("Noa"), "Goodbye, Noa!");
`,
};

const call = (name, args) => ({ name, args });
const STEPS = [
  { text: "I look at the folder.", calls: [call("list_directory", { path: "." })] },
  { calls: Object.keys(FILES).map((path) => call("read_file", { path })) },
  { calls: [call("write_file", { path: "farewell.mjs", content: WRITTEN })] },
  { calls: [call("run_command", { command: COMMAND })] },
  {
    calls: [call("edit_file", { path: "farewell.mjs", oldText: "${name}`", newText: "${name}!`" })],
  },
  { calls: [call("run_command", { command: COMMAND })] },
  { text: "The test passes: the farewell ends with an exclamation mark.", calls: [] },
];

export const TASK = {
  message: "Write farewell.mjs so that its test passes",
  WRITTEN,
  MENDED,
  FILES,
  STEPS,
};

/** A folder of its own with the task's files; `read` gives undefined for what is not there. */
export async function taskFolder() {
  const path = await mkdtemp(join(tmpdir(), "task-"));
  const read = (name) => readFile(join(path, name), "utf8").catch(() => undefined);
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(path, name), text);
  const all = async () => {
    const names = await readdir(path);
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await read(name)])),
    );
  };
  return { path, read, all, remove: () => rm(path, { recursive: true }) };
}

/** What the model says to a dialogue. The file's content stops near its end until `rest` is settled. */
export function task(messages, rest) {
  const answered = messages.filter(({ role }) => role === "tool").length;
  let before = 0;
  for (const [number, step] of STEPS.entries()) {
    if (before === answered) return number === 2 ? { ...step, rest } : step;
    before += step.calls.length;
  }
  throw new Error(`no step has ${answered} results before it`);
}
