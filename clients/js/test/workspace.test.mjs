// The workspace's tools over files in memory.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { MemoryFiles, workspaceTools } from "../src/workspace/index.js";
import { partsOf } from "../src/workspace/paths.js";

const sha = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);
const context = { id: "1", tool: "t", signal: new AbortController().signal, progress: () => {} };

function workspace(contents) {
  const files = new MemoryFiles(contents);
  const tools = workspaceTools(files);
  const run = async (tool, args) => {
    const known = tools[tool];
    return (typeof known === "function" ? known : known.run)(args, context);
  };
  return { files, run, tools };
}

const SOURCES = {
  "README.md": "# Hi\n",
  "src/a.js": "one\ntwo\nthree\n",
  "src/b/c.js": "TWO\n",
  "node_modules/x.js": "two",
};

test("folders are listed to a depth, without what is only in the way", async () => {
  const { run } = workspace(SOURCES);
  const names = ({ entries }) => entries.map(({ path }) => path);
  assert.deepEqual(names(await run("list_directory", {})), ["README.md", "node_modules", "src"]);
  const listed = await run("list_directory", { path: "src", depth: 2 });
  assert.deepEqual(listed.entries, [
    { path: "src/a.js", type: "file", size: 14 },
    { path: "src/b", type: "directory" },
    { path: "src/b/c.js", type: "file", size: 4 },
  ]);
  assert.ok(!names(await run("list_directory", { depth: 5 })).includes("node_modules/x.js"));
  assert.deepEqual(names(await run("list_directory", { path: "node_modules" })), [
    "node_modules/x.js",
  ]);
  await assert.rejects(run("list_directory", { path: "none" }), /none: there is no such folder/);
});

test("a large folder is listed in part, and that is said", async () => {
  const { run } = workspace(
    Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, ""])),
  );
  const { entries, truncated } = await run("list_directory", {});
  assert.deepEqual([entries.length, truncated], [1_000, true]);
});

test("a file is read whole, or some of its lines", async () => {
  const { run } = workspace(SOURCES);
  const whole = { path: "src/a.js", size: 14, digest: sha("one\ntwo\nthree\n"), lines: 3 };
  const read = await run("read_file", { path: "src/a.js" });
  assert.deepEqual(read, { ...whole, content: "one\ntwo\nthree\n", startLine: 1, endLine: 3 });
  const part = await run("read_file", { path: "./src//a.js", startLine: 2, endLine: 2 });
  assert.deepEqual(part, {
    ...whole,
    path: "./src//a.js",
    content: "two\n",
    startLine: 2,
    endLine: 2,
  });
  await assert.rejects(run("read_file", { path: "src/a.js", startLine: 9 }), /it has 3 lines/);
  await assert.rejects(run("read_file", { path: "src/none" }), /no such file/);
  await assert.rejects(run("read_file", { path: "src/" }), /a folder, not a file/);
});

test("a long file is cut at a line, a long line within", async () => {
  const line = `${"x".repeat(99)}\n`;
  const { run } = workspace({
    long: line.repeat(2_000),
    wide: "😀".repeat(60_000),
    binary: new Uint8Array([1, 0]),
  });
  const long = await run("read_file", { path: "long" });
  assert.ok(
    long.truncated && long.content.endsWith("\n") && long.endLine < 600 && long.lines === 2_000,
  );
  assert.equal(
    (await run("read_file", { path: "long", startLine: long.endLine + 1 })).startLine,
    long.endLine + 1,
  );
  const wide = await run("read_file", { path: "wide" });
  assert.ok(wide.truncated && wide.content.isWellFormed() && wide.content.length > 5_000);
  await assert.rejects(run("read_file", { path: "binary" }), /a binary file/);
});

test("files are searched by text, by expression and by name", async () => {
  const { run } = workspace({
    ...SOURCES,
    binary: new Uint8Array([0]),
    latin: new Uint8Array([0xe9]),
  });
  const found = await run("search_files", { query: "two" });
  assert.deepEqual(found, {
    query: "two",
    matches: [
      { path: "src/a.js", line: 2, text: "two" },
      { path: "src/b/c.js", line: 1, text: "TWO" },
    ],
    files: 2,
    total: 2,
  });
  assert.equal((await run("search_files", { query: "two", caseSensitive: true })).total, 1);
  assert.equal((await run("search_files", { query: "^t.*o$", isRegex: true })).total, 2);
  assert.equal((await run("search_files", { query: "o", glob: "*.md" })).total, 0);
  assert.equal((await run("search_files", { query: "one", path: "src/a.js" })).total, 1);
  const few = await run("search_files", { query: "t", maxMatches: 1 });
  assert.deepEqual([few.matches.length, few.total, few.truncated], [1, 3, true]);
  await assert.rejects(run("search_files", { query: "(", isRegex: true }), /not a regular expression/);
});

test("a file is created, and replaced only as it was read", async () => {
  const { run, files } = workspace({ "a.txt": "old\n" });
  const created = await run("write_file", { path: "new/b.txt", content: "שלום\n" });
  assert.deepEqual(created, { path: "new/b.txt", size: 9, digest: sha("שלום\n"), created: true });
  await assert.rejects(
    run("write_file", { path: "a.txt", content: "x" }),
    /exists and was not read/,
  );
  const stale = { path: "a.txt", content: "x", digest: sha("older\n") };
  await assert.rejects(run("write_file", stale), /changed since it was read: read it again/);
  const written = await run("write_file", {
    path: "a.txt",
    content: "new\n",
    digest: sha("old\n"),
  });
  assert.deepEqual(written, { path: "a.txt", size: 4, digest: sha("new\n"), created: false });
  assert.deepEqual(files.texts, { "a.txt": "new\n", "new/b.txt": "שלום\n" });
  await assert.rejects(run("write_file", { path: "a.txt/b", content: "" }), /cannot have one name/);
  await assert.rejects(run("write_file", { path: "new", content: "" }), /cannot have one name/);
  await assert.rejects(run("write_file", { path: "c", content: "a\0" }), /NUL/);
});

test("of two that create one file at once, one is refused", async () => {
  const { run, files } = workspace({});
  const both = ["one", "two"].map((content) => run("write_file", { path: "a.txt", content }));
  const [first, second] = await Promise.allSettled(both);
  assert.deepEqual([first.status, second.status], ["fulfilled", "rejected"]);
  assert.deepEqual(files.texts, { "a.txt": "one" });
});

test("files in memory lie where tools find them", () => {
  assert.deepEqual(new MemoryFiles({ "./a//b.txt": "x" }).texts, { "a/b.txt": "x" });
  assert.throws(() => new MemoryFiles({ "/a.txt": "x" }), /begin at the workspace's root/);
  assert.throws(() => new MemoryFiles({ "../a.txt": "x" }), /cannot go up/);
});

test("an edit is exact, and refused where it is a guess", async () => {
  const { run, files } = workspace({ "a.txt": "aXbXc aaa\n" });
  const edit = (args) => run("edit_file", { path: "a.txt", ...args });
  await assert.rejects(edit({ oldText: "X", newText: "Y" }), /ambiguous: oldText is in 2 places/);
  await assert.rejects(edit({ oldText: "aa", newText: "b" }), /ambiguous: oldText is in 2 places/);
  await assert.rejects(edit({ oldText: "Z", newText: "Y" }), /not in the file/);
  await assert.rejects(edit({ oldText: "", newText: "Y" }), /empty/);
  await assert.rejects(edit({ oldText: "X", newText: "X" }), /the same/);
  await assert.rejects(edit({ oldText: "bX", newText: "", digest: sha("?") }), /changed since/);
  const made = await edit({ oldText: "X", newText: "$&", replaceAll: true });
  assert.deepEqual(made, { path: "a.txt", size: 12, digest: sha("a$&b$&c aaa\n"), replaced: 2 });
  assert.equal(files.texts["a.txt"], "a$&b$&c aaa\n");
  await assert.rejects(run("edit_file", { path: "b", oldText: "a", newText: "b" }), /no such file/);
});

test("two edits made from one reading are done one after the other", async () => {
  const { run, files } = workspace({ a: "one two\n" });
  const digest = sha("one two\n");
  await run("edit_file", { path: "a", oldText: "one", newText: "1", digest });
  await run("edit_file", { path: "a", oldText: "two", newText: "2", digest });
  assert.equal(files.texts.a, "1 2\n");
  await files.write("a", new TextEncoder().encode("other\n"), new TextEncoder().encode("1 2\n"));
  await assert.rejects(
    run("edit_file", { path: "a", oldText: "o", newText: "0", digest }),
    /changed since/,
  );
});

test("a file keeps its line ends and its byte order mark", async () => {
  const before = "\ufeffone\r\ntwo\r\n";
  const { run, files } = workspace({ a: before });
  const { content, digest } = await run("read_file", { path: "a" });
  assert.deepEqual([content, digest], ["one\ntwo\n", sha(before)]);
  await run("edit_file", { path: "a", oldText: "one\ntwo", newText: "1\n2", digest });
  assert.deepEqual(await files.read("a"), new Uint8Array(Buffer.from("\ufeff1\r\n2\r\n")));
});

test("no path leads out of the workspace, whatever the system", () => {
  const bad = [
    "",
    "/etc/passwd",
    "..",
    "../x",
    "a/../b",
    "a/..",
    "\\x",
    "a\\b",
    "..\\x",
    "C:",
    "C:/x",
    "C:x",
    "//host/share",
    "\\\\host",
    "a\0b",
    "a\nb",
    "~",
    "~/x",
    "~root/x",
    "...",
    "a/. ./b",
    "．．/x",
    "a／b",
    "a∕b:c",
    "CON",
    "nul.txt",
    "a/COM1",
    "lpt9.log",
    "PROGRA~1",
    "a:stream",
    "x.",
    "x ",
    " x",
    "\u202ea",
    "\ud800",
    "x".repeat(1_001),
    "a/".repeat(65) + "b",
  ];
  for (const path of bad)
    assert.throws(() => partsOf(path), { name: "WorkspaceError" }, JSON.stringify(path));
  const good = {
    ".": 0,
    "./": 0,
    a: 1,
    "a/b.c": 2,
    "./a//b/": 2,
    ".gitignore": 1,
    "%2e%2e/x": 2,
    "שלום/קובץ.txt": 2,
    "a b": 1,
    "..a": 1,
  };
  for (const [path, count] of Object.entries(good)) assert.equal(partsOf(path).length, count, path);
});

test("there is no run_command where nothing runs commands", () => {
  assert.deepEqual(Object.keys(workspace({}).tools), [
    "list_directory",
    "read_file",
    "search_files",
    "write_file",
    "edit_file",
  ]);
});
