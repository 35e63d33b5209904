/** An approval card that watches its approval and the outcome of its run. */

import type { Approval, Run } from "@rollcall/client";
import type { Decision } from "@rollcall/client/wire";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { type CardStatus, statusOf } from "../cards/outcome.js";
import type { Connection } from "../firebase/connection.js";
import type { Store } from "../store/store.js";
import { ApprovalCard } from "./approval_card.js";
import { decide } from "./decision.js";

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
  useEffect(
    () =>
      withStore(connection, ({ rollcall }, signal) => {
        const onError = () => undefined; // the card stays as it was last
        const stop = rollcall.approvals.follow(first.id, (found) => (approval.value = found), { onError });
        signal.addEventListener("abort", stop);
      }),
    [first.id],
  );
  const isFollowed = !onDecide && first.uid === uid && approval.value.decision?.approved === true;
  useEffect(() => {
    if (!isFollowed) return undefined;
    return withStore(connection, async (store, signal) => {
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
    });
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

/** Resolves once a run has begun; rejects if it could not. */
async function begun(run: Run): Promise<void> {
  const start = new Promise((resolve) => {
    run.on("event", ({ type }) => type === "RUN_STARTED" && resolve(undefined));
  });
  await Promise.race([start, run.result]);
}

/** Use the store, once it is loaded, until the effect ends. */
function withStore(
  connection: Connection,
  use: (store: Store, signal: AbortSignal) => void | Promise<void>,
): () => void {
  const ending = new AbortController();
  void connection.store().then((store) => {
    if (!ending.signal.aborted) return use(store, ending.signal);
    return undefined;
  });
  return () => ending.abort();
}
