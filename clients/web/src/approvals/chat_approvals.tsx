/** The approvals of a chat turn, below the answer and outside of the model's text. */

import type { Approval } from "@rollcall/client";
import { useRef } from "preact/hooks";

import { statusOf } from "../cards/outcome.js";
import type { Conversation } from "../chat/conversation.js";
import type { Turn } from "../chat/turn.js";
import { approvalOf } from "./phase.js";
import { LiveApproval } from "./live_approval.js";

export interface ChatApprovalsProps {
  turn: Turn;
  conversation: Conversation;
}

export function ChatApprovals({ turn, conversation }: ChatApprovalsProps) {
  // They stay on the screen when the turn goes on, and say what became of them.
  const seen = useRef(new Map<string, Approval>());
  const { connection } = conversation;
  const { result, items, state } = turn.view.value;
  const interrupts = (state === "waiting" && result?.outcome.interrupts) || [];
  for (const interrupt of interrupts) {
    if (!result || seen.current.has(interrupt.id)) continue;
    const { threadId, runId, agent } = result;
    seen.current.set(interrupt.id, approvalOf(interrupt, { threadId, runId, agent, uid: connection.uid }));
  }
  if (!seen.current.size) return null;
  return (
    <div class="approvals">
      {[...seen.current.values()].map((approval) => {
        const item = items.find((each) => each.kind === "call" && each.call.id === approval.callId);
        const call = item?.kind === "call" ? item.call : undefined;
        return (
          <LiveApproval
            key={approval.id}
            first={approval}
            connection={connection}
            outcome={call && (call.record || call.result !== undefined) ? statusOf(call) : undefined}
            onDecide={(decision) => {
              const interrupt = interrupts.find(({ id }) => id === approval.id);
              // One that waits alone goes on in this chat at once; of several, each counts by itself.
              const isAlone = interrupts.length === 1 && turn === conversation.newest.peek() && turn.run;
              return interrupt && isAlone ? conversation.decide(interrupt, decision) : undefined;
            }}
          />
        );
      })}
    </div>
  );
}
