// The example in the README of @rollcall/client runs as written, in an app that has it installed.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { seed, within } from "../../support.mjs";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

/** An app's own setup, with the emulators in place of its project. */
const SETUP = `
import { initializeApp } from "firebase/app";
import { connectAuthEmulator, getAuth, signInAnonymously } from "firebase/auth";
import { connectFirestoreEmulator, getFirestore } from "firebase/firestore";
import { connectFunctionsEmulator, getFunctions } from "firebase/functions";

const { GCLOUD_PROJECT, FIREBASE_AUTH_EMULATOR_HOST, FIRESTORE_EMULATOR_HOST, FUNCTIONS_EMULATOR_HOST } = process.env;
const app = initializeApp({ projectId: GCLOUD_PROJECT, apiKey: "emulator" });
export const [auth, firestore, functions] = [getAuth(app), getFirestore(app), getFunctions(app)];
connectAuthEmulator(auth, "http://" + FIREBASE_AUTH_EMULATOR_HOST, { disableWarnings: true });
const place = (host) => [host.split(":")[0], Number(host.split(":")[1])];
connectFirestoreEmulator(firestore, ...place(FIRESTORE_EMULATOR_HOST));
connectFunctionsEmulator(functions, ...place(FUNCTIONS_EMULATOR_HOST));
await signInAnonymously(auth);
`;

before(seed);

test("the example does what it says", async () => {
  const readme = await readFile(join(ROOT, "clients/js/README.md"), "utf8");
  const example = /```js\n([^]*?)```/.exec(readme)[1];
  assert.ok(example.trim().split("\n").length <= 21);
  const folder = await mkdtemp(join(tmpdir(), "app-"));
  try {
    await mkdir(join(folder, "node_modules/@rollcall"), { recursive: true });
    await symlink(join(ROOT, "clients/js"), join(folder, "node_modules/@rollcall/client"));
    await symlink(join(ROOT, "node_modules/firebase"), join(folder, "node_modules/firebase"));
    await writeFile(join(folder, "package.json"), '{"type": "module"}');
    await writeFile(join(folder, "firebase.js"), SETUP);
    await writeFile(join(folder, "example.js"), example);
    const said = await output(join(folder, "example.js"));
    assert.match(said, /^\.\.\. list_directory$/m);
    assert.match(said, /^success: /m);
    assert.match(said, /hello\.js/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** What a script prints until its turn is over; Firebase would keep it alive after that. */
function output(script) {
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "pipe"] });
  let [said, wrong] = ["", ""];
  child.stderr.on("data", (text) => (wrong += text));
  const whole = new Promise((resolve, reject) => {
    child.stdout.on("data", (text) => {
      said += text;
      if (/^(success|interrupt|cancelled): [^]*hello/m.test(said)) resolve(said);
    });
    child.on("exit", () => reject(new Error(`it ended: ${said}${wrong}`)));
  });
  return within(60_000, whole, "the example").finally(() => child.kill());
}
