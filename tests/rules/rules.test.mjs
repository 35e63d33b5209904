// Runs every *.rules.mjs of this folder and of packs/<pack> in one process, so that what they cover
// adds up.

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before, test } from "node:test";

import { untested } from "./coverage.mjs";
import { Rules } from "./support.mjs";

const rules = new Rules();
before(() => rules.start());
after(() => rules.stop());

const files = (await readdir(new URL(".", import.meta.url), { recursive: true })).filter((name) =>
  name.endsWith(".rules.mjs"),
);
for (const file of files.sort()) {
  const { default: suite } = await import(`./${file}`);
  suite(rules);
}

test("every condition in the rules was the reason for a yes and for a no", async () => {
  assert.deepEqual(untested(await rules.coverage(), rules.source), []);
});
