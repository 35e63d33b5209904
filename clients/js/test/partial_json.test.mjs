// The reader of JSON that is still coming gives at every split what JSON.parse gives in the end.

import assert from "node:assert/strict";
import { test } from "node:test";

import { PartialJson, PartialJsonError } from "../src/partial_json.js";
import { chance, document } from "./json_values.mjs";

const DOCUMENTS = [
  '{"path": "a.txt", "content": "line\\nline \\"quoted\\" \\u05d0 \\ud83d\\ude00 😀 שלום"}',
  ' [1, -0, 0.5, 1e3, 2E-2, true, false, null, "", [], {}, [[{"a": [1]}]]] ',
  '{"__proto__": {"x": 1}, "": 0, "constructor": "c", "a": 1, "a": "again"}',
  '"\\ud800 alone \\udc00 \\\\ \\/ \\b\\f\\n\\r\\t"',
  "  -12.5e+3  ",
  "null",
];

/** What a reader has after each piece, and in the end. */
function read(pieces, options) {
  const reader = new PartialJson(options);
  const seen = pieces.map((piece) => {
    reader.push(piece);
    return structuredClone(reader.value);
  });
  return { seen, whole: reader.end() };
}

const splitAt = (text, at) => [text.slice(0, at), text.slice(at)];

/** Whether `early` may become `late`: strings, lists and objects grow, the rest stays. */
function grows(early, late) {
  if (early === undefined) return true;
  if (typeof early === "string") return typeof late === "string" && late.startsWith(early);
  if (early === null || typeof early !== "object") return Object.is(early, late);
  return Object.keys(early).every(
    (key) => Object.hasOwn(late, key) && grows(early[key], late[key]),
  );
}

test("every split in two gives what JSON.parse gives", () => {
  for (const text of DOCUMENTS) {
    for (let at = 0; at <= text.length; at++) {
      assert.deepEqual(read(splitAt(text, at)).whole, JSON.parse(text), `${text} at ${at}`);
    }
  }
});

test("random documents in random pieces give what JSON.parse gives, and only grow", () => {
  const random = chance(7);
  for (let n = 0; n < 400; n++) {
    const text = JSON.stringify(document(random), null, random(3));
    const pieces = [];
    for (let at = 0; at < text.length;) {
      const length = 1 + random(random(2) ? 4 : 40);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    const { seen, whole } = read(pieces);
    assert.deepEqual(whole, JSON.parse(text));
    for (let i = 1; i < seen.length; i++) assert.ok(grows(seen[i - 1], seen[i]), text);
    assert.ok(grows(seen.at(-1), whole), text);
  }
});

test("what is told of strings adds up to them, without half characters", () => {
  const text = '{"a": "x\\ud83d\\ude00y😀z", "b": ["", "second"]}';
  const added = new Map();
  const onText = (path, piece) => {
    assert.ok(piece.isWellFormed(), JSON.stringify(piece));
    const place = path.join(".");
    added.set(place, (added.get(place) ?? "") + piece);
  };
  read(
    [...Array(text.length).keys()].map((at) => text[at]),
    { onText },
  );
  assert.deepEqual(Object.fromEntries(added), { a: "x😀y😀z", "b.1": "second" });
});

test("what JSON.parse refuses is refused, whole or in single characters", () => {
  const bad = [
    ..."{ [ ] } , : - + .5 5. 01 1e 1e+ -- NaN Infinity undefined True nul truefalse 0x1".split(
      " ",
    ),
    ...'[1,] [,] {,} {"a"} {"a":} {"a":1,} {a:1} {\'a\':1} [1}2 {"a":1]'.split(" "),
    "",
    " ",
    "1 2",
    '"\n"',
    '"\\x"',
    '"\\u12g4"',
    '"open',
    "[1 2]",
    '{"a" 1}',
    '{"a":1 "b":2}',
    '"\u0001"',
    "{}{}",
    "[]]",
    "\u00a01",
    '"a""b"',
    "{1:2}",
    "-",
    '{"a":1,,"b":2}',
    "\ufeff1",
  ];
  for (const text of bad) {
    assert.throws(() => JSON.parse(text), SyntaxError, text);
    assert.throws(() => read([text]), PartialJsonError, text);
    assert.throws(() => read([...text]), PartialJsonError, text);
  }
});

test("a document mutated at random is taken or refused as JSON.parse does", () => {
  const random = chance(11);
  const marks = '{}[]",:\\u0 1-+.eEtn/😀\n';
  for (let n = 0; n < 2_000; n++) {
    const text = DOCUMENTS[random(DOCUMENTS.length)];
    const at = random(text.length);
    const mutated = text.slice(0, at) + marks[random(marks.length)] + text.slice(at + random(2));
    let expected;
    try {
      expected = JSON.parse(mutated);
    } catch {
      assert.throws(() => read(splitAt(mutated, at)), PartialJsonError, mutated);
      continue;
    }
    assert.deepEqual(read(splitAt(mutated, at)).whole, expected, mutated);
  }
});

test("an error says where, and the reader takes nothing more", () => {
  const reader = new PartialJson();
  reader.push('{"a": ');
  assert.throws(
    () => reader.push("  ]"),
    (error) => error.position === 8,
  );
  assert.throws(() => reader.push("1}"), PartialJsonError);
  assert.throws(() => reader.end(), PartialJsonError);
});

test("nesting is bounded", () => {
  const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);
  assert.deepEqual(read([nested(100)]).whole, JSON.parse(nested(100)));
  assert.throws(() => read([nested(101)]), /nested deeper than 100, at character 100/);
  assert.throws(() => read([nested(1_000_000)]), PartialJsonError);
});

/** A write of so many characters, in deltas of four. */
function deltas(length) {
  const content = 'const x = "y";\n\\ שלום 😀 '.repeat(length / 20).slice(0, length);
  const text = JSON.stringify({ path: "big.js", content });
  return { content, pieces: text.match(/[^]{1,4}/g) };
}

/**
 * How many characters a piece of work may look at or copy: for each call of a method, all those of
 * the text that it is a method of; for each test of an expression, all that is tested.
 */
function counted(work) {
  const methods = Object.entries(Object.getOwnPropertyDescriptors(String.prototype)).filter(
    ([name, { value }]) => typeof value === "function" && name !== "constructor",
  );
  const { test } = RegExp.prototype;
  let count = 0;
  for (const [name, { value }] of methods) {
    String.prototype[name] = function (...given) {
      count += this.length;
      return value.apply(this, given);
    };
  }
  RegExp.prototype.test = function (text) {
    count += text.length;
    return test.call(this, text);
  };
  try {
    work();
  } finally {
    for (const [name, method] of methods) Object.defineProperty(String.prototype, name, method);
    RegExp.prototype.test = test;
  }
  return count;
}

test("twice as long is twice the work: 1 MB in deltas of 4 against 0.5 MB", () => {
  const [half, full] = [deltas(500_000), deltas(1_000_000)];
  const work = ({ content, pieces }) => {
    const told = [];
    const reader = new PartialJson({
      onText: (path, text) => path[0] === "content" && told.push(text),
    });
    for (const piece of pieces) reader.push(piece);
    assert.equal(reader.end().content, content);
    assert.equal(told.join(""), content); // each character once
  };
  const [less, more] = [counted(() => work(half)), counted(() => work(full))];
  assert.ok(Math.abs(more / less - 2) < 0.01, `${less} and ${more}`);
  // A delta has four characters, and each of its characters is looked at by a method of it.
  assert.ok(more < 12 * full.content.length, `${more} for ${full.content.length}`);
});
