// Which paths are guarded, and why: by name, by the end of a path, by a folder.

import assert from "node:assert/strict";
import { test } from "node:test";

import { guardedFile, pathsIn, pattern } from "../src/node/guard.js";

const kindOf = (path) => guardedFile(path.split("/"))?.kind;

test("names, ends of paths and folders are told apart", () => {
  for (const [path, kind] of Object.entries({
    ".env": "secret",
    "a/.env.local": "secret",
    ".env.example": undefined,
    "id_rsa.pub": undefined,
    ".ssh/known_hosts.pub": "secret",
    ".git": "repository",
    "a/.git/config": "repository",
    ".cargo/config.toml": "startup",
    "a/.cargo/config.toml": "startup",
    "cargo/config.toml": undefined,
    "config.toml": undefined,
    Makefile: "project",
    "a/MAKEFILE": "project",
    "Makefile/x": undefined,
    "vite.config.ts": "project",
    "src/app.js": undefined,
  })) {
    assert.equal(kindOf(path), kind, path);
  }
});

test("the words of a command are read as a shell splits them", () => {
  assert.deepEqual(pathsIn(`git show HEAD:'a b'/.env;x --f=".npmrc"`), [
    ...["git", "show", "HEAD", "a", "b/.env", "x", "--f", ".npmrc"],
  ]);
});

test("a pattern of a name is a shell's", () => {
  const fits = (glob, name) => pattern(glob).test(name);
  assert.ok(fits("*.pem", "a.pem") && fits("a?c", "abc") && fits("[a-c]x", "bx"));
  assert.ok(fits("[!a]x", "bx") && fits("a.b", "a.b") && fits("a[", "a["));
  assert.ok(!fits("a.b", "axb") && !fits("[!a]x", "ax") && !fits("*.pem", "a.pem.txt"));
});
