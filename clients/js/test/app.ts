// Compiled and never run: an app in TypeScript, with what it may do and what it may not.

import { getAuth } from "firebase/auth";
import { getFirestore } from "firebase/firestore";
import { getFunctions } from "firebase/functions";

import {
  PartialJson,
  Rollcall,
  RollcallError,
  type ClientTools,
  type Interrupt,
  type RunResult,
} from "@rollcall/client";
import { MemoryFiles, workspaceTools, type WorkspaceFiles } from "@rollcall/client/workspace";

const rollcall = new Rollcall({
  functions: getFunctions(),
  firestore: getFirestore(),
  auth: getAuth(),
});

const tools: ClientTools = {
  read_file: {
    run: async ({ path }, { signal, progress }) => (progress(path, 1, 2), signal.aborted),
    reads: true,
  },
  write_file: () => ({}),
};

export async function ask(message: string, signal: AbortSignal): Promise<RunResult> {
  const decide = (interrupt: Interrupt) => ({ approved: interrupt.metadata.tool === "write_file" });
  const run = rollcall.run({ agent: "workspace", message, clientTools: tools, decide, signal });
  run.on("arguments", ({ call, added }) => added.map(({ text }) => call.tool + text));
  for await (const event of run) {
    if (event.type === "TEXT_MESSAGE_CONTENT") console.log(event.delta);
    // @ts-expect-error A step has no delta.
    if (event.type === "STEP_STARTED") console.log(event.delta);
  }
  const result = await run.result;
  // @ts-expect-error There is no such status.
  if (result.toolCalls[0].status === "finished") return result;
  const next = run.approve(result.outcome.interrupts![0], { remember: "src/*" });
  return (await next?.result) ?? result;
}

// @ts-expect-error Whom to ask must be said.
rollcall.run({ message: "Hi" });
// @ts-expect-error There is no such option.
rollcall.run({ agent: "a", message: "Hi", stream: true });

export const read = (text: string): unknown => new PartialJson({ depth: 3 }).push(text);
export const stop = rollcall.threads.watch((threads) => threads.map(({ title }) => title?.length), {
  most: 3,
});
export const code = (error: unknown) => (error instanceof RollcallError ? error.code : undefined);
export const files: WorkspaceFiles = new MemoryFiles({ "a.txt": "text" });
export const all: ClientTools = { ...workspaceTools(files), ...tools };
