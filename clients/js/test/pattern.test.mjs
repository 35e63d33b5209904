// Regular expressions and globs: as RegExp matches where both understand them, and in linear time.

import assert from "node:assert/strict";
import { test } from "node:test";

import { globMatcher } from "../src/workspace/globs.js";
import { matcher } from "../src/workspace/pattern.js";
import { chance } from "./json_values.mjs";

const SOURCES = [
  "abc",
  "a.c",
  "^abc$",
  "a|b|",
  "(ab)+",
  "(?:a|bc)*d",
  "a?b",
  "a{2}",
  "a{2,}",
  "a{1,3}b",
  "[abc]",
  "[^a-c]",
  "[a-]",
  "[]a]",
  "\\d+",
  "\\w+\\s\\W",
  "\\bfoo\\b",
  "\\Bo",
  "a\\.b",
  "[\\d-]+",
  "(a*)*b",
  "(a|a)*b",
  "\\/\\*",
  "x{0}y",
  "^$",
  "a*?b",
  "[\\]x]",
  "é+",
  "😀.",
];
const LINES = [
  "",
  "abc",
  "aac",
  "bcbcd",
  "foo bar",
  "a.b 12",
  "aaaa",
  "]",
  "-",
  "x/* y",
  "éé",
  "😀!",
  "xfoo foo",
];

test("it finds what RegExp finds", () => {
  for (const source of SOURCES) {
    for (const ignoreCase of [false, true]) {
      const expected = new RegExp(
        source.replace("[]a]", "[\\]a]").replace("\\/", "/"),
        ignoreCase ? "ui" : "u",
      );
      const has = matcher(source, { ignoreCase });
      for (const line of [...LINES, ...LINES.map((each) => each.toUpperCase())]) {
        assert.equal(has(line), expected.test(line), `${source} in ${line}`);
      }
    }
  }
});

test("it finds what RegExp finds, with patterns made at random", () => {
  const random = chance(5);
  const pieces = [
    "a",
    "b",
    ".",
    "[ab]",
    "(a|b)",
    "(?:ab)",
    "a*",
    "b+",
    "c?",
    "^",
    "$",
    "\\b",
    "|",
    "a{2}",
  ];
  for (let n = 0; n < 500; n++) {
    const source = Array.from({ length: 1 + random(6) }, () => pieces[random(pieces.length)]).join(
      "",
    );
    const [has, expected] = [matcher(source), new RegExp(source)];
    for (let m = 0; m < 10; m++) {
      const line = Array.from({ length: random(6) }, () => "abc "[random(4)]).join("");
      assert.equal(has(line), expected.test(line), `${source} in ${line}`);
    }
  }
});

test("no pattern runs away", () => {
  const started = performance.now();
  for (const source of ["(a+)+$", "(a|a)*$", "(.*a){20}", "(a?){30}a{30}", "((a*)*)*$"]) {
    matcher(source)(`${"a".repeat(2_000)}!`);
  }
  assert.ok(performance.now() - started < 60_000);
  for (const source of [
    "((a{99}){99}){99}",
    "(a{0,9999}){9999}",
    "((){9999}){9999}{9999}x{3000}",
  ]) {
    assert.throws(() => matcher(source), /too large/, source);
  }
});

test("what it does not understand is said", () => {
  for (const source of [
    "(",
    ")",
    "[a",
    "a\\",
    "*",
    "+a",
    "(?=a)",
    "(?<n>a)",
    "\\1",
    "\\p",
    "a{3,1}",
    "[z-a]",
  ]) {
    assert.throws(() => matcher(source), /query: not a regular expression/, source);
  }
});

test("globs are for names, or for whole paths", () => {
  const cases = {
    "*.py": [
      ["a.py", "src/b.py"],
      ["a.pyc", "py"],
    ],
    "src/**/*.{js,ts}": [
      ["src/a.js", "src/x/y/b.ts"],
      ["a.js", "src/a.css"],
    ],
    "src/*.js": [["src/a.js"], ["src/x/a.js"]],
    "[!a]?.md": [["bc.md"], ["ac.md", "b.md"]],
    "a+(b).txt": [["a+(b).txt"], ["aab.txt"]],
    "שלום*": [["x/שלום.txt"], ["shalom"]],
  };
  for (const [glob, [meant, others]] of Object.entries(cases)) {
    const isMeant = globMatcher(glob);
    for (const path of meant) assert.ok(isMeant(path), `${glob} ${path}`);
    for (const path of others) assert.ok(!isMeant(path), `${glob} ${path}`);
  }
});
