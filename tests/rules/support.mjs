// The support of the rules' tests: people, documents, and tests of permissions. Reads and writes are
// single requests: the streams of the whole SDK, opened anew after each denial, cost three times as much.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { initializeTestEnvironment } from "@firebase/rules-unit-testing";
import { initializeApp } from "firebase/app";
import {
  collection,
  collectionGroup,
  connectFirestoreEmulator,
  deleteDoc,
  doc,
  getDoc,
  getDocs,
  getFirestore,
  query,
  setDoc,
  setLogLevel,
  updateDoc,
  writeBatch,
} from "firebase/firestore/lite";

setLogLevel("silent"); // a denial is expected here, not news

const RULES = new URL("../../firestore.rules", import.meta.url);

/** People and their claims; null for nobody. Ana owns the documents; Ben is in her group. */
export const PEOPLE = {
  ana: {},
  ben: {},
  eve: {},
  guest: { firebase: { sign_in_provider: "anonymous" } },
  admin: { role: "admin" },
  capitalAdmin: { role: "Admin" },
  listedAdmin: { role: ["admin"], roles: "admin", admin: true },
  teacher: { role: "teacher", tenant: "north" },
  signedOut: null,
};

/** The emulator with the project's rules, under a project id that no other test uses. */
export class Rules {
  #environment;
  #documents = {};
  #apps = {};

  async start() {
    this.source = await readFile(RULES, "utf8");
    this.#environment = await initializeTestEnvironment({
      projectId: "demo-rollcall-rules",
      firestore: { rules: this.source },
    });
  }

  async stop() {
    await this.#environment?.cleanup();
  }

  /** The Firestore client of a person's app. */
  as(who) {
    const claims = PEOPLE[who];
    return this.#connected(who, claims && { ...claims, sub: who });
  }

  /** The Firestore client of a name, with this token; "owner" passes every rule. */
  #connected(name, mockUserToken) {
    if (!this.#apps[name]) {
      const { emulators, projectId } = this.#environment;
      const db = getFirestore(initializeApp({ projectId }, name));
      const options = mockUserToken ? { mockUserToken } : {};
      connectFirestoreEmulator(db, emulators.firestore.host, emulators.firestore.port, options);
      this.#apps[name] = db;
    }
    return this.#apps[name];
  }

  /** Empty the database, then store these documents: {path: data}. */
  async seed(documents) {
    this.#documents = documents;
    await this.restore();
  }

  /** Restore what `seed` stored: all of it, or the documents at these paths. */
  async restore(...paths) {
    if (!paths.length) await this.#environment.clearFirestore();
    const db = this.#connected("owner", "owner");
    const batch = writeBatch(db);
    for (const path of paths.length ? paths : Object.keys(this.#documents)) {
      const data = this.#documents[path];
      if (data) batch.set(doc(db, path), data);
      else batch.delete(doc(db, path));
    }
    await batch.commit();
  }

  /** Read a document past the rules. */
  async read(path) {
    return (await getDoc(doc(this.#connected("owner", "owner"), path))).data();
  }

  /** The values of each expression of the rules, as the emulator counted them. */
  async coverage() {
    const { host, port } = this.#environment.emulators.firestore;
    const path = `/emulator/v1/projects/${this.#environment.projectId}:ruleCoverage`;
    const reply = await fetch(`http://${host}:${port}${path}`);
    return (await reply.json()).report;
  }
}

export async function allowed(operation) {
  return await operation;
}

export async function denied(operation) {
  await assert.rejects(operation, (error) => {
    assert.equal(error.code, "permission-denied", `${error.code}: ${error.message}`);
    return true;
  });
}

const WRITES = new Set(["create", "update", "delete"]);
// `make chaos` has every person try each operation; otherwise who is signed out and one in three of the
// others to whom it is closed.
const TURNS = "CHAOS_FULL" in process.env ? 1 : 3;
let turn = 0;

/** The people who try an operation that those in `may` may do. */
function peopleWhoTry(may) {
  turn += 1;
  const others = Object.keys(PEOPLE).filter((person) => !may.includes(person));
  const isNext = (person, at) => person === "signedOut" || at % TURNS === turn % TURNS;
  return [...may, ...others.filter(isNext)];
}

function note() {
  return { uid: "ana", note: "changed" };
}

/**
 * Test that exactly the people named in `may` can do each thing with the document at `path`.
 *
 * `filter` is what a list has to ask for; `created(person)` and `change` are what is written.
 */
export function testPermissions(rules, path, { may = {}, filter = [], created = note, change = note() }) {
  const parent = path.slice(0, path.lastIndexOf("/"));
  const group = parent.slice(parent.lastIndexOf("/") + 1);
  const operations = {
    get: (db) => getDoc(doc(db, path)),
    list: (db) => getDocs(query(collection(db, parent), ...filter)),
    listAll: (db) => getDocs(collection(db, parent)),
    listGroup: (db) => getDocs(query(collectionGroup(db, group), ...filter)),
    create: (db, person) => setDoc(doc(db, `${parent}/new`), created(person)),
    update: (db) => updateDoc(doc(db, path), change),
    delete: (db) => deleteDoc(doc(db, path)),
  };
  for (const [name, operation] of Object.entries(operations)) {
    const who = may[name] ?? [];
    test(`${name} ${path}: ${who.join(", ") || "nobody"}`, async () => {
      for (const person of peopleWhoTry(who)) {
        const attempt = operation(rules.as(person), person);
        await (who.includes(person) ? allowed(attempt) : denied(attempt)).catch((error) => {
          throw new Error(`${person}: ${error.message}`, { cause: error });
        });
        if (who.includes(person) && WRITES.has(name)) await rules.restore(path, `${parent}/new`);
      }
    });
  }
}
