/** Sends a decision, and waits for the run that carries it out. */

import type { Approval, Rollcall, Run } from "@rollcall/client";
import type { Decision } from "@rollcall/client/wire";

/**
 * Decide an approval: by its document, or, with edited arguments or a pattern to remember, through
 * its run.
 * @returns The continuation, if the decision went through the run.
 */
export async function decide(
  rollcall: Rollcall,
  approval: Approval,
  decision: Decision,
): Promise<Run | undefined> {
  const { id, agent, threadId, runId } = approval;
  if (!decision.editedArguments && !decision.remember) {
    await rollcall.approvals.decide(id, decision.approved, decision.reason);
    return undefined;
  }
  const waiting = rollcall.follow({ agent, threadId, runId });
  await waiting.result;
  return waiting.resume({ [id]: decision });
}

/** Resolves once a run has begun; rejects if it could not. */
export async function begun(run: Run): Promise<void> {
  const start = new Promise((resolve) => {
    run.on("event", ({ type }) => type === "RUN_STARTED" && resolve(undefined));
  });
  await Promise.race([start, run.result]);
}
