// What the rules' tests share: people, documents, and who may do what with them.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { initializeTestEnvironment } from "@firebase/rules-unit-testing";
import {
  collection,
  collectionGroup,
  deleteDoc,
  doc,
  getDoc,
  getDocs,
  query,
  setDoc,
  setLogLevel,
  updateDoc,
  writeBatch,
} from "firebase/firestore";

setLogLevel("silent"); // a denial is expected here, not news

const RULES = new URL("../../firestore.rules", import.meta.url);

/** Who tries: their claims, or null for nobody. Ana owns what there is; Ben is in her group. */
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

  /** Firestore as a person's own app sees it. */
  as(who) {
    this.#apps[who] ??= this.#contextOf(who).firestore();
    return this.#apps[who];
  }

  #contextOf(who) {
    const claims = PEOPLE[who];
    if (claims === null) return this.#environment.unauthenticatedContext();
    return this.#environment.authenticatedContext(who, claims);
  }

  /** Empty the database, then store these documents: {path: data}. */
  async given(documents) {
    this.#documents = documents;
    await this.restore();
  }

  /** Make the database what it was when `given`. */
  async restore() {
    await this.#environment.clearFirestore();
    await this.#environment.withSecurityRulesDisabled(async (context) => {
      const db = context.firestore();
      const batch = writeBatch(db);
      for (const [path, data] of Object.entries(this.#documents)) batch.set(doc(db, path), data);
      await batch.commit();
    });
  }

  /** What is stored, whoever may see it. */
  async stored(path) {
    let found;
    await this.#environment.withSecurityRulesDisabled(async (context) => {
      found = (await getDoc(doc(context.firestore(), path))).data();
    });
    return found;
  }

  /** The emulator's count of what each expression of the rules came to. */
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

function note() {
  return { uid: "ana", note: "changed" };
}

/**
 * Test that exactly the people named in `may` can do each thing with the document at `path`.
 *
 * `filter` is what a list has to ask for; `created(person)` and `change` are what is written.
 */
export function onlyThese(rules, path, { may = {}, filter = [], created = note, change = note() }) {
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
      for (const person of Object.keys(PEOPLE)) {
        const attempt = operation(rules.as(person), person);
        await (who.includes(person) ? allowed(attempt) : denied(attempt)).catch((error) => {
          throw new Error(`${person}: ${error.message}`, { cause: error });
        });
        if (who.includes(person) && WRITES.has(name)) await rules.restore();
      }
    });
  }
}
