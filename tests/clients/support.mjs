// Apps on the emulators, as a Firebase web app would set itself up.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { deleteApp, initializeApp } from "firebase/app";
import { connectAuthEmulator, getAuth } from "firebase/auth";
import {
  collection,
  connectFirestoreEmulator,
  getFirestore,
  onSnapshot,
  orderBy,
  query,
  setLogLevel,
  terminate,
  where,
} from "firebase/firestore";
import { connectFunctionsEmulator, getFunctions, httpsCallable } from "firebase/functions";

setLogLevel("silent"); // a denial is expected here, not news

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The user that `python -m seed` makes, with the sample conversations. */
export const DEMO = { uid: "demo", email: "demo@rollcall.example", password: "water-the-lemons" };

/** Load the sample data into the emulators unless `make test` has, for tests, which ask faster than
 * people; a second time changes nothing. */
export async function seed() {
  await letAsk(DEMO.uid);
  if (process.env.SAMPLE_LOADED) return;
  await promisify(execFile)("functions/venv/bin/python", ["-m", "seed"], { cwd: ROOT });
}

/** Set no bound to the messages of one user in a minute, or at once. */
async function letAsk(uid) {
  const none = { nullValue: null };
  const unbounded = { mapValue: { fields: { runsPerMinute: none, runsAtOnce: none } } };
  const users = { mapValue: { fields: { [uid]: unbounded } } };
  const documents = `projects/${required("GCLOUD_PROJECT")}/databases/(default)/documents`;
  const limits = `http://${required("FIRESTORE_EMULATOR_HOST")}/v1/${documents}/budgets/limits`;
  const field = encodeURIComponent(`users.\`${uid}\``);
  const answer = await fetch(`${limits}?updateMask.fieldPaths=${field}`, {
    method: "PATCH",
    headers: { Authorization: "Bearer owner", "Content-Type": "application/json" },
    body: JSON.stringify({ fields: { users } }),
  });
  assert.ok(answer.ok, await answer.text());
}

/** Give a user of the Auth emulator a role, as an app's server does. */
export async function promote(uid, role) {
  const { FIREBASE_AUTH_EMULATOR_HOST: host, GCLOUD_PROJECT: project } = process.env;
  const url = `http://${host}/identitytoolkit.googleapis.com/v1/projects/${project}/accounts:update`;
  const answer = await fetch(url, {
    method: "POST",
    headers: { Authorization: "Bearer owner", "Content-Type": "application/json" },
    body: JSON.stringify({ localId: uid, customAttributes: JSON.stringify({ role }) }),
  });
  assert.ok(answer.ok, await answer.text());
}

/** One app with nobody signed in. Close it, or Node stays. */
export class App {
  constructor(name) {
    this.app = initializeApp({ projectId: required("GCLOUD_PROJECT"), apiKey: "emulator" }, name);
    this.auth = getAuth(this.app);
    this.db = getFirestore(this.app);
    this.functions = getFunctions(this.app);
    const [firestore, functions] = ["FIRESTORE", "FUNCTIONS"].map(hostOf);
    const auth = `http://${required("FIREBASE_AUTH_EMULATOR_HOST")}`;
    connectAuthEmulator(this.auth, auth, { disableWarnings: true });
    connectFirestoreEmulator(this.db, firestore.hostname, Number(firestore.port));
    connectFunctionsEmulator(this.functions, functions.hostname, Number(functions.port));
  }

  async close() {
    await terminate(this.db);
    await deleteApp(this.app);
  }

  async call(name, data) {
    return (await httpsCallable(this.functions, name)(data)).data;
  }

  /** Call a streaming function: its chunks with the time each came, and its result. */
  async stream(name, data) {
    const { stream, data: result } = await httpsCallable(this.functions, name).stream(data);
    const events = [];
    const times = [];
    for await (const event of stream) {
      events.push(event);
      times.push(performance.now());
    }
    return { events, times, result: await result };
  }
}

function hostOf(emulator) {
  return new URL(`http://${required(`${emulator}_EMULATOR_HOST`)}`);
}

function required(name) {
  return process.env[name] ?? assert.fail(`start these tests with make test: ${name} is not set`);
}

/** Both ways of calling are refused with this code; a stream in its chunks and in its result. */
export async function refused(app, name, data, { code, field }) {
  const asExpected = (error) => {
    assert.equal(error.code, `functions/${code}`, error.message);
    assert.equal(error.details?.code, code);
    assert.equal(error.details?.field, field);
    return true;
  };
  await assert.rejects(app.call(name, data), asExpected);
  const { stream, data: result } = await httpsCallable(app.functions, name).stream(data);
  const all = async () => {
    for await (const chunk of stream) assert.fail(`a chunk came: ${JSON.stringify(chunk)}`);
  };
  await Promise.all([assert.rejects(all(), asExpected), assert.rejects(result, asExpected)]);
}

export async function denied(operation) {
  await assert.rejects(operation, (error) => {
    assert.equal(error.code, "permission-denied", `${error.code}: ${error.message}`);
    return true;
  });
}

/** A promise that must be settled within some milliseconds. */
export function within(ms, promise, what = "this") {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A run's events as Firestore tells of them, also before there is such a run, up to its last. */
export function followed(app, threadId, runId) {
  const events = [];
  let stop;
  const whole = new Promise((resolve, reject) => {
    const stored = collection(app.db, "threads", threadId, "runs", runId, "events");
    const mine = query(stored, where("uid", "==", app.auth.currentUser.uid), orderBy("n"));
    stop = onSnapshot(
      mine,
      (snapshot) => {
        for (const { type, doc } of snapshot.docChanges()) {
          if (type === "added") events.push(...JSON.parse(doc.data().events));
          else reject(new Error(`stored events were ${type}`));
        }
        if (["RUN_FINISHED", "RUN_ERROR"].includes(events.at(-1)?.type)) resolve(events);
      },
      reject,
    );
  });
  return within(120_000, whole, `the run ${runId}`).finally(() => stop());
}

/** The events of a run are whole: numbered without gaps or repeats, from its start to its end. */
export function assertWhole(events) {
  assert.equal(events.at(0)?.type, "RUN_STARTED");
  assert.equal(events.at(-1).type, "RUN_FINISHED");
  const numbers = events.map((event) => event.metadata.n);
  assert.deepEqual(numbers, [...numbers.keys()]);
}
