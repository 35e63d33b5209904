/** The inbox: the pending approvals, and those decided here. */

import type { Approval } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";

import { loadTools } from "../cards/tools.js";
import { ProblemNote } from "../chat/problem_note.js";
import { problemOf } from "../chat/problems.js";
import type { Connection } from "../firebase/connection.js";
import { ConnectionContext } from "../firebase/connection_context.js";
import { locale, text } from "../text/locale.js";
import { LiveApproval } from "./live_approval.js";
import { pendingApprovals } from "./pending_approvals.js";

export interface InboxProps {
  connection: Connection;
  /** Told of each decision that was taken here. */
  onDecided?: (approval: Approval, approved: boolean) => void;
}

export function Inbox({ connection, onDecided }: InboxProps) {
  // A card stays where it is once it is decided, so that its reader and its focus stay as well.
  const shown = useSignal<Approval[]>([]);
  const waiting = useMemo(() => pendingApprovals(connection), [connection]);
  useEffect(() => waiting.follow(), [waiting]);
  useEffect(() => void loadTools(connection), [connection, locale.value]);
  const all = waiting.approvals.value;
  useEffect(() => {
    const known = new Set(shown.value.map(({ id }) => id));
    const added = all?.filter(({ id }) => !known.has(id)) ?? [];
    if (added.length) shown.value = [...added, ...shown.value];
  }, [all]);
  const problem = waiting.problem.value;
  const mine = shown.value.filter(({ mayDecide }) => mayDecide);
  const theirs = shown.value.filter(({ mayDecide }) => !mayDecide);
  const cards = (approvals: Approval[]) =>
    approvals.map((approval) => (
      <LiveApproval key={approval.id} first={approval} connection={connection} onDecided={onDecided} />
    ));
  return (
    <ConnectionContext.Provider value={connection}>
      <div class="page inbox">
        <h1>{text("inbox.title")}</h1>
        {problem && <ProblemNote problem={problemOf(problem)} />}
        {!all && !problem && <p class="quiet loading">{text("app.loading")}</p>}
        {all && !mine.length && (
          <div class="inbox-empty">
            <slot name="empty">
              <p>{text("inbox.empty")}</p>
              <p class="quiet">{text("inbox.empty.note")}</p>
            </slot>
          </div>
        )}
        {cards(mine)}
        {theirs.length > 0 && <h2>{text("inbox.theirs")}</h2>}
        {cards(theirs)}
      </div>
    </ConnectionContext.Provider>
  );
}
