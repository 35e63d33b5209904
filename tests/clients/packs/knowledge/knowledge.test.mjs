// An app uploads a document with the Firebase SDK, watches it being read, asks it and deletes it.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";

import { createUserWithEmailAndPassword, signInAnonymously } from "firebase/auth";
import { collection, doc, getDoc, getDocs, onSnapshot, query, where } from "firebase/firestore";

import { App, denied, seed, within } from "../../support.mjs";

const app = new App("uploader");
const other = new App("other");

before(async () => {
  await seed(); // publishes the registry
  await createUserWithEmailAndPassword(app.auth, `k${Date.now()}@rollcall.example`, "water-lemons");
  await signInAnonymously(other.auth);
});
after(() => Promise.all([app.close(), other.close()]));

function announced(bytes, name) {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { name, contentType: "text/markdown", bytes: bytes.length, sha256 };
}

async function upload(bytes, name) {
  const begun = await app.call("begin_upload", announced(bytes, name));
  for (const part of begun.missing) {
    const piece = bytes.subarray(part * begun.partBytes, (part + 1) * begun.partBytes);
    const content = Buffer.from(piece).toString("base64");
    await app.call("upload_part", { fileId: begun.fileId, part, content });
  }
  return (await app.call("finish_upload", { fileId: begun.fileId })).document.documentId;
}

/** The document's record once it is read, and every status it had on the way. */
function read(id) {
  const seen = [];
  let stop;
  const done = new Promise((resolve, reject) => {
    stop = onSnapshot(
      doc(app.db, "documents", id),
      (it) => {
        seen.push(it.data().status);
        if (["ready", "failed"].includes(seen.at(-1))) resolve({ record: it.data(), seen });
      },
      reject,
    );
  });
  return within(180_000, done, "reading").finally(() => stop());
}

test("a document is uploaded, read by the queue, found and deleted", async () => {
  const line = "The zanzibar rod is driven eight feet into the earth.\n";
  const text = `# Grounding\n${line}${"Other words stand here, and many of them.\n".repeat(25_000)}`;
  const id = await upload(Buffer.from(text), "rods.md");
  const { record } = await read(id);
  assert.equal(record.status, "ready");
  const found = await app.call("search_documents", { arguments: { query: "zanzibar rod" } });
  assert.equal(found.passages[0].documentId, id);
  assert.equal(found.passages[0].heading, "Grounding");
  await denied(getDoc(doc(other.db, "documents", id)));
  const theirs = await other.call("search_documents", { arguments: { query: "zanzibar rod" } });
  assert.deepEqual(theirs.passages, []);
  await app.call("delete_document", { arguments: { documentId: id } });
  const mine = query(collection(app.db, "documents"), where("uid", "==", app.auth.currentUser.uid));
  assert.equal((await getDocs(mine)).size, 0);
});

test("a file that is none says why, in both languages", async () => {
  const { record } = await read(await upload(Buffer.alloc(2_000, "\u0001\u0002"), "noise.md"));
  assert.equal(record.status, "failed");
  assert.equal(record.reason.code, "wrong_type");
  assert.match(record.reason.he, /[א-ת]/);
});
