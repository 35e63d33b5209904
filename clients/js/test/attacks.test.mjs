// The ways out of a folder that the terminal client's tests know, tried at the same tools over a
// folder of the disk.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { DiskFiles } from "../src/node/index.js";
import { WorkspaceError, workspaceTools } from "../src/workspace/index.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const LISTED =
  "import json; from tests.unit.cli.workspace import attacks; print(json.dumps(attacks.ALL))";
const ATTACKS = JSON.parse(
  execFileSync("functions/venv/bin/python", ["-c", LISTED], { cwd: ROOT }).toString(),
);
const MARK = "what nobody inside may see";
const CALLS = [
  ["list_directory", { depth: 5 }],
  ["read_file", {}],
  ["search_files", { query: MARK }],
  ["search_files", { query: ".", isRegex: true }],
  ["write_file", { content: "written by the test" }],
  ["edit_file", { oldText: MARK, newText: "changed by the test" }],
];
/** What another program would make of these is not what they mean here. */
const PLAIN_NAMES = "encoded";

let folder;
let run;
const socket = createServer();

before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "attacks-")));
  const [root, outside] = [join(folder, "root"), join(folder, "outside")];
  await mkdir(join(root, "src"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, "secret.txt"), MARK);
  await writeFile(join(root, "a.txt"), "text\n");
  await writeFile(join(root, "src/b.txt"), "text\n");
  const links = {
    "link-to-file": join(outside, "secret.txt"),
    "link-to-folder": outside,
    "link-up": "..",
    "link-to-root": "/",
    "link-to-proc": "/proc",
    "link-to-itself": "link-to-itself",
    "link-to-nothing": join(outside, "new.txt"),
    "link-inside": "a.txt",
    "src/link-in-folder": "../../outside",
    chain: "link-to-folder",
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(root, name));
  await link(join(outside, "secret.txt"), join(root, "hard-link.txt"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  await new Promise((resolve) => socket.listen(join(root, "socket"), resolve));
  const tools = workspaceTools(new DiskFiles(root));
  const context = { id: "1", signal: new AbortController().signal, progress: () => {} };
  run = (tool, args) => (tools[tool].run ?? tools[tool])(args, { ...context, tool });
});
after(async () => {
  socket.close();
  await rm(folder, { recursive: true });
});

test("the lists have what they had", () => {
  assert.ok(Object.values(ATTACKS).flat().length >= 168);
});

for (const [kind, paths] of Object.entries(ATTACKS)) {
  test(`no path leads outside: ${kind}`, { timeout: 60_000 }, async () => {
    for (const path of paths) {
      for (const [tool, args] of CALLS) {
        const about = `${tool} ${JSON.stringify(path.slice(0, 100))}`;
        try {
          const told = await run(tool, { ...args, path });
          assert.equal(kind, PLAIN_NAMES, about);
          assert.ok(!JSON.stringify({ ...told, query: "" }).includes(MARK), about);
        } catch (error) {
          assert.ok(error instanceof WorkspaceError, `${about}: ${error.stack}`);
          assert.ok(!error.message.includes(MARK), about);
          assert.ok(!error.message.includes(folder), `${about}: ${error.message}`);
        }
      }
    }
    assert.deepEqual(await readdir(join(folder, "outside")), ["secret.txt"]);
    assert.equal(await readFile(join(folder, "outside/secret.txt"), "utf8"), MARK);
    assert.deepEqual((await readdir(folder)).sort(), ["outside", "root"]);
  });
}
