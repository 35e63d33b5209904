// Reads what a deployment with a prefix has stored of a run, and renames its thread; what it found,
// as JSON: node prefixed.mjs PROJECT PREFIX THREAD RUN

import { deleteApp, initializeApp } from "firebase/app";
import { connectFirestoreEmulator, getFirestore, terminate } from "firebase/firestore";

import { Rollcall } from "../../../../clients/js/src/index.js";

const [projectId, prefix, threadId, runId] = process.argv.slice(2);
const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(":");
const app = initializeApp({ projectId, apiKey: "none" });
const firestore = getFirestore(app);
connectFirestoreEmulator(firestore, host, Number(port), { mockUserToken: { sub: "ann" } });

const auth = { currentUser: { uid: "ann" } };
const rollcall = new Rollcall({ functions: {}, firestore, auth, prefix });
const types = [];
for await (const { type } of rollcall.follow({ agent: "electrical", threadId, runId })) {
  types.push(type);
}
await rollcall.threads.rename(threadId, "Copper");
const { entries } = await rollcall.threads.messages(threadId);
const threads = await rollcall.threads.list();
const found = {
  roles: entries.map(({ role }) => role),
  threads: threads.map(({ id }) => id),
  title: threads.find(({ id }) => id === threadId)?.title,
  first: types[0],
  last: types.at(-1),
};
console.log(JSON.stringify(found));
await terminate(firestore);
await deleteApp(app);
