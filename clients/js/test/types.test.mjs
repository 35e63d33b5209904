// The type declarations are those of the code, and serve who writes TypeScript.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const HERE = fileURLToPath(new URL("..", import.meta.url));
const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));

/** Run the compiler in this package; what it complains about is the error's message. */
async function tsc(...args) {
  try {
    await promisify(execFile)(process.execPath, [TSC, ...args], { cwd: HERE });
  } catch (error) {
    assert.fail(error.stdout || error.message);
  }
}

/** Every declaration in a folder, by its path. */
async function declarations(folder) {
  const names = (await readdir(folder, { recursive: true })).filter((name) =>
    name.endsWith(".d.ts"),
  );
  const texts = names.map(async (name) => [name, await readFile(join(folder, name), "utf8")]);
  return Object.fromEntries(await Promise.all(texts));
}

test("the code is sound, and its declarations are current: `make format`", async () => {
  const folder = await mkdtemp(join(tmpdir(), "types-"));
  try {
    await tsc("-p", ".", "--outDir", folder);
    const { "wire.d.ts": wire, "capabilities.d.ts": capabilities, ...current } = await declarations(join(HERE, "types"));
    assert.ok(wire && capabilities);
    assert.deepEqual(current, await declarations(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
});

const APP = "--ignoreConfig --noEmit --strict --skipLibCheck --target es2022 test/app.ts".split(" ");

test("an app in TypeScript is checked against them, as Node finds them", async () => {
  await tsc(...APP, "--module", "nodenext");
});

test("as bundlers find them, a call is typed by capability where the app's capabilities are known", async () => {
  const calls = ["test/typed_calls.ts", "test/typed_calls.capabilities.d.ts"];
  await tsc(...APP, ...calls, "--module", "esnext", "--moduleResolution", "bundler");
});
