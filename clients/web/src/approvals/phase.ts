/** The phase of an approval, as its card shows it. */

import type { Approval } from "@rollcall/client";
import type { Interrupt } from "@rollcall/client/wire";

import type { CardStatus } from "../cards/outcome.js";

/** `theirs`: somebody else decides. `approved`: the call is running. */
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

/** @param outcome The status of the call, if known. */
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

/** The approval of an interrupt, as its document will have it. */
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

/** Summary and display, in the user's language if there is a translation. */
export function translation({ summary, display, translations }: Approval, language: string) {
  const said = translations[language];
  return said ? { summary: said.summary, display: said.display ?? display } : { summary, display };
}

/** Whether the user may edit the arguments: only the requester, and only if none is hidden. */
export function mayEdit(approval: Approval, uid: string): boolean {
  const isHidden = JSON.stringify(approval.arguments).includes("•••");
  return approval.uid === uid && approval.mayDecide && !isHidden;
}
