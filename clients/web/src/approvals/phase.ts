/** How far an approval is, as its card says it. */

import type { Approval } from "@rollcall/client";
import type { Interrupt } from "@rollcall/client/wire";

import type { CardStatus } from "../cards/outcome.js";

/** `theirs` is for somebody else to decide; `approved` is being carried out. */
export type Phase =
  | "open"
  | "theirs"
  | "approved"
  | "rejected"
  | "expired"
  | "replaced"
  | "done"
  | "failed"
  | "unknown";

const ENDS: Partial<Record<CardStatus, Phase>> = {
  done: "done",
  failed: "failed",
  refused: "failed",
  rejected: "rejected",
  expired: "expired",
  unknown: "unknown",
};

/** `outcome` is what is known of the call itself. */
export function phaseOf(approval: Approval, outcome: CardStatus | undefined, now: Date): Phase {
  const { status, decision, expiresAt, mayDecide } = approval;
  if (status === "replaced") return status;
  const end = outcome && ENDS[outcome];
  if (end) return end;
  if (status === "expired") return status;
  if (decision) return decision.approved ? "approved" : "rejected";
  if (status !== "pending") return status;
  if (now >= expiresAt) return "expired";
  return mayDecide ? "open" : "theirs";
}

/** An interrupt of a run as the approval that its document will say it is. */
export function approvalOf(
  { id, toolCallId, message, expiresAt, metadata }: Interrupt,
  run: { threadId: string; runId: string; agent: string; uid: string },
): Approval {
  const { tool, arguments: args, display, complete, remember, decider } = metadata;
  return {
    ...run,
    id,
    callId: toolCallId,
    tool,
    summary: message,
    translations: {}, // its document has them
    arguments: args ?? {},
    display: display ?? null,
    complete: complete === true,
    remember: remember ?? [],
    deciderRole: decider?.role ?? null,
    mayDecide: decider?.uid === run.uid,
    status: "pending",
    decision: null,
    replacedBy: null,
    createdAt: new Date(),
    expiresAt: new Date(expiresAt),
  };
}

/** What would happen, in the user's language where the server has said it in that. */
export function inLanguage({ summary, display, translations }: Approval, language: string) {
  const said = translations[language];
  return said ? { summary: said.summary, display: said.display ?? display } : { summary, display };
}

/** Whether the user may change the arguments: who asked may, where none of them is hidden. */
export function mayEdit(approval: Approval, uid: string): boolean {
  const isHidden = JSON.stringify(approval.arguments).includes("•••");
  return approval.uid === uid && approval.mayDecide && !isHidden;
}
