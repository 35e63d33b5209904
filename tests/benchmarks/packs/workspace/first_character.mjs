// What the JavaScript client sees of files that are begun: for each of as many turns as are asked
// for, one line with the time in the file and the time at which the client had told of it, ns.

import { initializeApp } from "firebase/app";
import { connectAuthEmulator, getAuth, signInWithEmailAndPassword } from "firebase/auth";
import { getFunctions } from "firebase/functions";

import { Rollcall } from "../../../../clients/js/src/index.js";
import { MemoryFiles, workspaceTools } from "../../../../clients/js/src/workspace/index.js";

const { GCLOUD_PROJECT, FIREBASE_AUTH_EMULATOR_HOST, FUNCTIONS_EMULATOR_HOST } = process.env;
const { ROLLCALL_EMAIL, ROLLCALL_PASSWORD } = process.env;

const app = initializeApp({ projectId: GCLOUD_PROJECT, apiKey: "emulator" });
const auth = getAuth(app);
connectAuthEmulator(auth, `http://${FIREBASE_AUTH_EMULATOR_HOST}`, { disableWarnings: true });
await signInWithEmailAndPassword(auth, ROLLCALL_EMAIL, ROLLCALL_PASSWORD);
const rollcall = new Rollcall({
  functions: getFunctions(app, `http://${FUNCTIONS_EMULATOR_HOST}`),
});

for (let turn = 0; turn < Number(process.argv[2]); turn++) {
  const clientTools = workspaceTools(new MemoryFiles({}));
  const run = rollcall.run({ agent: "workspace", message: "Write new.txt", clientTools });
  let content = "";
  let at;
  run.on("arguments", ({ added }) => {
    for (const { path, text } of added) if (path[0] === "content") content += text;
    if (content) at ??= process.hrtime.bigint();
  });
  await run.result; // it waits for a yes, and nobody says it
  console.log(content.slice(1, 21), String(at));
}
process.exit();
