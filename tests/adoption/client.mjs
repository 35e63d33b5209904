// An app's web client: the Firebase JavaScript SDK and nothing else, against the emulators.
//
//   node client.mjs '{"project": …, "ports": …, "user": …, "steps": [{"call": "name", "data": …}]}'
//
// Prints what each step came to, as JSON: {"value": …} or {"error": {"code": …, "message": …}}.

import { initializeApp } from "firebase/app";
import {
  connectAuthEmulator,
  createUserWithEmailAndPassword,
  getAuth,
  signInWithEmailAndPassword,
} from "firebase/auth";
import {
  connectFirestoreEmulator,
  doc,
  getDoc,
  getFirestore,
  setDoc,
  setLogLevel,
} from "firebase/firestore";
import { connectFunctionsEmulator, getFunctions, httpsCallable } from "firebase/functions";

const { project, ports, user, steps } = JSON.parse(process.argv[2]);
const app = initializeApp({ projectId: project, apiKey: "any", appId: "any" });
setLogLevel("silent");
const auth = getAuth(app);
connectAuthEmulator(auth, `http://127.0.0.1:${ports.auth}`, { disableWarnings: true });
const db = getFirestore(app);
connectFirestoreEmulator(db, "127.0.0.1", ports.firestore);
const functions = getFunctions(app);
connectFunctionsEmulator(functions, "127.0.0.1", ports.functions);

const email = `${user}@example.com`;
try {
  await createUserWithEmailAndPassword(auth, email, "a password");
} catch (error) {
  if (error.code !== "auth/email-already-in-use") throw error;
  await signInWithEmailAndPassword(auth, email, "a password");
}

const does = {
  uid: async () => auth.currentUser.uid,
  call: async (name, { data }) => (await httpsCallable(functions, name)(data)).data,
  stream: async (name, { data }) => {
    const { stream, data: answer } = await httpsCallable(functions, name).stream(data);
    const events = [];
    for await (const event of stream) events.push(event);
    return { events, answer: await answer };
  },
  get: async (path) => (await getDoc(doc(db, path))).data() ?? null,
  set: async (path, { data }) => void (await setDoc(doc(db, path), mine(data))),
};
/** The user's id in place of "$uid". */
const mine = (data) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, value === "$uid" ? auth.currentUser.uid : value]),
  );

const found = [];
for (const step of steps) {
  const [[what, name]] = Object.entries(step);
  try {
    found.push({ value: (await does[what](name, step)) ?? null });
  } catch (error) {
    found.push({ error: { code: error.code, message: error.message, details: error.details ?? null } });
  }
}
process.stdout.write(JSON.stringify(found), () => process.exit(0));
