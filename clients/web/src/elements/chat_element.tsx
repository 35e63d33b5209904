/** `<rollcall-chat agent="…" thread context locale>`: a conversation with one agent. */

import { useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";

import { loadAgents } from "../chat/agents.js";
import { ConversationView } from "../chat/chat.js";
import { Conversation } from "../chat/conversation.js";
import type { Connection } from "../firebase/connection.js";
import { text } from "../text/locale.js";
import { RollcallElement } from "./element.js";

interface ChatProps {
  connection: Connection;
  agent: string;
  thread: string | null;
  context: Record<string, unknown> | undefined;
  tell: (name: string, detail: object) => void;
}

export class ChatElement extends RollcallElement {
  static readonly observedAttributes = ["agent", "thread", "context", "locale"];

  protected view(connection: Connection) {
    const { agent, thread = null, context } = this.attributesNow.value;
    if (!agent) throw new TypeError('<rollcall-chat> needs the attribute agent="…"');
    const about = { agent, thread, context: contextOf(context) };
    // Another agent, thread or place is another conversation.
    const key = JSON.stringify(about);
    return (
      <ChatView key={key} {...about} connection={connection} tell={(name, detail) => this.tell(name, detail)} />
    );
  }
}

function ChatView({ connection, agent, thread, context, tell }: ChatProps) {
  const conversation = useMemo(
    () => new Conversation(connection, { agent, ...(thread && { threadId: thread }), ...(context && { context }) }),
    [],
  );
  useEffect(() => () => conversation.close(), []);
  useSignalEffect(() => void loadAgents(connection)); // anew in another language
  useSignalEffect(() => {
    const threadId = conversation.threadId.value;
    if (threadId) tell("rollcall-thread", { threadId });
  });
  useSignalEffect(() => {
    const turn = conversation.newest.value;
    const state = turn?.view.value.state;
    if (turn && state) tell("rollcall-state", { state, runId: turn.runId });
  });
  const welcome = (
    <slot name="welcome">
      <p class="quiet">{text("chat.hello.lead")}</p>
    </slot>
  );
  return <ConversationView conversation={conversation} connection={connection} welcome={welcome} />;
}

function contextOf(json: string | null | undefined): Record<string, unknown> | undefined {
  if (!json) return undefined;
  const wrong = `context of <rollcall-chat> is a JSON object, not ${json}`;
  let found: unknown;
  try {
    found = JSON.parse(json);
  } catch (cause) {
    throw new TypeError(wrong, { cause });
  }
  if (typeof found !== "object" || found === null || Array.isArray(found)) throw new TypeError(wrong);
  return found as Record<string, unknown>;
}
