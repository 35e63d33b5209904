/** Sending a decision. */

import type { Approval, Rollcall, Run } from "@rollcall/client";
import type { Decision } from "@rollcall/client/wire";

/**
 * Decide an approval: by its document, which counts from any device at once; changed arguments, and
 * what is to stand for later calls too, through its run.
 * @returns The turn as it goes on, where this has continued it.
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
