/** `<rollcall-approvals locale>`: the inbox of what waits for the user. */

import { useSignalEffect } from "@preact/signals";
import { useMemo } from "preact/hooks";

import { Inbox } from "../approvals/inbox.js";
import { pendingApprovals } from "../approvals/pending_approvals.js";
import { loadAgents } from "../chat/agents.js";
import type { Connection } from "../firebase/connection.js";
import { RollcallElement } from "./element.js";

export class ApprovalsElement extends RollcallElement {
  static readonly observedAttributes = ["locale"];

  protected view(connection: Connection) {
    return <ApprovalsView connection={connection} tell={(name, detail) => this.tell(name, detail)} />;
  }
}

function ApprovalsView(props: { connection: Connection; tell: (name: string, detail: object) => void }) {
  const { connection, tell } = props;
  const waiting = useMemo(() => pendingApprovals(connection), [connection]);
  useSignalEffect(() => void loadAgents(connection)); // anew in another language
  useSignalEffect(() => tell("rollcall-count", { count: waiting.count.value }));
  return (
    <Inbox
      connection={connection}
      onDecided={({ id }, approved) => tell("rollcall-decided", { id, approved })}
    />
  );
}
