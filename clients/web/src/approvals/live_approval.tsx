/** An approval card that watches its approval and the outcome of its run. */

import type { Approval, RollcallError } from "@rollcall/client";
import type { Decision } from "@rollcall/client/wire";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { type CardStatus, statusOf } from "../cards/outcome.js";
import type { Connection } from "../firebase/connection.js";
import { ApprovalCard } from "./approval_card.js";
import { begun, decide } from "./decision.js";

interface Props {
  first: Approval;
  connection: Connection;
  /** The call's status from the chat; without it, the card watches the run. */
  outcome?: CardStatus | undefined;
  /** Decides in the chat, which then shows the continuation; without it the card decides. */
  onDecide?: (decision: Decision) => Promise<void> | undefined;
  onDecided?: ((approval: Approval, approved: boolean) => void) | undefined;
}

export function LiveApproval({ first, connection, outcome, onDecide, onDecided }: Props) {
  const approval = useSignal(first);
  const followed = useSignal<CardStatus | undefined>(undefined);
  const { uid } = connection;
  const onError = (error: RollcallError) => console.warn("an approval's card stays as it was last", error);
  useEffect(
    () =>
      connection.use(({ rollcall }, signal) => {
        const stop = rollcall.approvals.follow(first.id, (found) => (approval.value = found), { onError });
        signal.addEventListener("abort", stop);
      }, onError),
    [first.id],
  );
  const isFollowed = !onDecide && first.uid === uid && approval.value.decision?.approved === true;
  useEffect(() => {
    if (!isFollowed) return undefined;
    return connection.use(async (store, signal) => {
      const { agent, threadId, runId, callId } = first;
      const next = await store.continuation(threadId, runId, signal);
      if (!next) return;
      const run = store.rollcall.follow({ agent, threadId, runId: next });
      signal.addEventListener("abort", () => run.leave());
      const look = () => {
        const call = run.calls.find(({ id }) => id === callId);
        if (call && (call.record || call.result !== undefined)) followed.value = statusOf(call);
      };
      run.on("event", look);
      await run.result.then(look, () => undefined); // why a run has failed, its thread says
    }, onError);
  }, [isFollowed]);
  return (
    <ApprovalCard
      approval={approval.value}
      uid={uid}
      outcome={outcome ?? followed.value}
      decide={async (decision) => {
        const inChat = onDecide?.(decision);
        if (inChat) await inChat;
        else {
          const { rollcall } = await connection.store();
          const next = await decide(rollcall, approval.value, decision);
          if (next) await begun(next); // how it goes on then is no part of the decision
        }
        onDecided?.(approval.value, decision.approved);
      }}
    />
  );
}
