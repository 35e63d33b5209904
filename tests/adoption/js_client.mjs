// The packed @rollcall/client beside an app's own Firebase SDK, against the emulators.
//
//   node js_client.mjs '{"project": …, "ports": …, "message": …}'
//
// Prints as JSON: what was answered, the threads, and what another Rollcall followed of the run; or
// the error that came.

import { initializeApp, SDK_VERSION } from "firebase/app";
import { connectAuthEmulator, getAuth, signInAnonymously } from "firebase/auth";
import { connectFirestoreEmulator, getFirestore, setLogLevel, terminate } from "firebase/firestore";
import { connectFunctionsEmulator, getFunctions } from "firebase/functions";

import { Rollcall } from "@rollcall/client";

const { project, ports, message } = JSON.parse(process.argv[2]);
const app = initializeApp({ projectId: project, apiKey: "any", appId: "any" });
setLogLevel("silent");
const auth = getAuth(app);
connectAuthEmulator(auth, `http://127.0.0.1:${ports.auth}`, { disableWarnings: true });
const firestore = getFirestore(app);
connectFirestoreEmulator(firestore, "127.0.0.1", ports.firestore);
const functions = getFunctions(app);
connectFunctionsEmulator(functions, "127.0.0.1", ports.functions);
await signInAnonymously(auth);

const told = { version: SDK_VERSION };
try {
  const rollcall = new Rollcall({ functions, firestore, auth });
  const run = rollcall.run({ agent: "office", message });
  const { threadId, runId } = await run.result;
  told.answer = run.text;
  told.threads = (await rollcall.threads.list()).map(({ id, agent }) => ({ id, agent }));
  const other = new Rollcall({ functions, firestore, auth });
  const followed = other.follow({ agent: "office", threadId, runId });
  await followed.result;
  told.followed = followed.text;
  told.price = await rollcall.call("meeting_cost", { people: 6, hours: 2 });
} catch (error) {
  told.error = { code: error.code, message: error.message, hint: error.hint };
}
console.log(JSON.stringify(told));
await terminate(firestore);
process.exit();
