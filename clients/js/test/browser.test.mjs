// What a page loads has nothing of Node in it, and of Firebase no more than it needs.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const SRC = new URL("../src/", import.meta.url);

/** The modules that a module loads, itself included, with their code; and what it imports by name. */
async function loaded(entry) {
  const [modules, names] = [new Map(), { now: new Set(), later: new Set() }];
  const waiting = [new URL(entry, SRC)];
  for (let url; (url = waiting.pop());) {
    if (modules.has(url.href)) continue;
    const code = (await readFile(url, "utf8"))
      .replace(/\/\*[^]*?\*\//g, "")
      .replace(/^\s*\/\/.*$/gm, "");
    modules.set(url.href, code);
    for (const [, name] of code.matchAll(/^(?:import|export)[^;]*?from "([^"]+)"/gm)) {
      if (name.startsWith(".")) waiting.push(new URL(name, url));
      else names.now.add(name);
    }
    for (const [, name] of code.matchAll(/\bimport\("([^"]+)"\)/g)) names.later.add(name);
  }
  return { modules, now: [...names.now], later: [...names.later] };
}

test("the client loads Firebase's functions, and Firestore when it is needed", async () => {
  const { now, later, modules } = await loaded("index.js");
  assert.deepEqual([now, later], [["firebase/functions"], ["firebase/firestore"]]);
  assert.ok(modules.size > 10);
});

test("the workspace loads nothing else", async () => {
  const { now, later } = await loaded("workspace/index.js");
  assert.deepEqual([now, later], [[], []]);
});

test("nothing of Node's is in what a page loads", async () => {
  for (const entry of ["index.js", "workspace/index.js"]) {
    for (const [url, code] of (await loaded(entry)).modules) {
      assert.doesNotMatch(code, /\b(?:Buffer|process|require|__dirname|setImmediate)\b|node:/, url);
    }
  }
});

test("the package has one peer and no dependency", async () => {
  const about = JSON.parse(await readFile(new URL("../package.json", import.meta.url)));
  assert.deepEqual(Object.keys(about.peerDependencies), ["firebase"]);
  for (const kind of ["dependencies", "devDependencies", "optionalDependencies"])
    assert.ok(!(kind in about));
  for (const { types, default: code } of Object.values(about.exports).filter(
    (each) => each.types,
  )) {
    for (const file of [types, code]) await readFile(new URL(`../${file}`, import.meta.url));
  }
});
