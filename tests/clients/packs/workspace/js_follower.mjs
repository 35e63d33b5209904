// A Node process of its own that follows a run, or begins one: `node js_follower.mjs '<options>'`.
// It prints lines of JSON: `{threadId, runId}` once a run has begun, and the result at the end. Before
// it writes a file in `folder`, it notes its name in the file `log`; with `isStuck` it then hangs.

import { appendFileSync } from "node:fs";

import { signInWithEmailAndPassword } from "firebase/auth";
import { getFunctions } from "firebase/functions";

import { Rollcall } from "../../../../clients/js/src/index.js";
import { DiskFiles } from "../../../../clients/js/src/node/index.js";
import { workspaceTools } from "../../../../clients/js/src/workspace/index.js";
import { App } from "../../support.mjs";

const { name, port, folder, log, email, password, isStuck, run, follow } = JSON.parse(process.argv[2]);

const app = new App(name);
await signInWithEmailAndPassword(app.auth, email, password);
const functions = getFunctions(app.app, `http://127.0.0.1:${port}`);
const rollcall = new Rollcall({ functions, firestore: app.db, auth: app.auth });
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const tools = workspaceTools(new DiskFiles(folder));
async function write_file(args, call) {
  appendFileSync(log, `${name} ${args.path}\n`);
  if (isStuck) await new Promise(() => setInterval(() => {}, 1_000));
  return (tools.write_file.run ?? tools.write_file)(args, call);
}

const habits = { clientTools: { ...tools, write_file }, decide: () => ({ approved: true }) };
const followed = run ? rollcall.run({ ...run, ...habits }) : rollcall.follow({ ...follow, ...habits });
followed.on("event", ({ type, threadId, runId }) => {
  if (type === "RUN_STARTED") say({ threadId, runId });
});
say({ result: await followed.result });
await app.close();
