/** A session: the chat with the tutor, with tasks, time and the summary beside it. */

import { RollcallError } from "@rollcall/client";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";

import { Icon } from "../app/icon.js";
import { lazy } from "../app/lazy.js";
import { now, useClock } from "../approvals/clock.js";
import { loadAgents } from "../chat/agents.js";
import { ConversationView } from "../chat/chat.js";
import { Conversation } from "../chat/conversation.js";
import { call } from "../firebase/calls.js";
import type { Connection } from "../firebase/connection.js";
import { RefusalNote, toastRefusal } from "../school/refusal.js";
import { number, text } from "../text/locale.js";
import { CLIENT_TOOLS } from "./client_tools.js";
import type { PanelProps } from "./panel.js";
import { Practice } from "./practice.js";
import {
  type Completion,
  completionsOf,
  document,
  type Session,
  useDocument,
  useDocuments,
} from "./documents.js";
import { SummaryCard } from "./summary.js";
import { minutes, say } from "./texts.js";
import type { VoiceProps } from "./voice.js";

/** How long after the end of a session the tutor still answers. */
const GRACE_MS = 5 * 60_000;

const Voice = lazy<VoiceProps>(() => import("./voice.js").then(({ Voice }) => Voice));

export function isOver({ status, endsAt }: Session, at: Date): boolean {
  return status !== "open" || Number(at) > endsAt.toMillis() + GRACE_MS;
}

export function SessionRoom({ connection, id, go, onSession }: PanelProps & { id: string }) {
  useClock();
  const { value: session, problem } = useDocument<Session>(connection, `session ${id}`, document("sessions", id)).value;
  const isClosed = session ? isOver(session, now.value) : false;
  const status = session && (isClosed ? "ended" : "open");
  useEffect(() => {
    if (status) onSession?.(id, status);
  }, [status]);
  useSignalEffect(() => void loadAgents(connection)); // anew in another language
  if (problem || session === null) {
    const error = problem ?? new RollcallError("not-found", "there is no such session");
    return (
      <div class="centred">
        <RefusalNote error={error} />
        <button class="button" onClick={() => go("")}>
          {say("room.back")}
        </button>
      </div>
    );
  }
  if (!session) return <p class="quiet loading">{text("app.loading")}</p>;
  return (
    <div class="room">
      <LessonChat key={id} connection={connection} session={session} isClosed={isClosed} />
      <aside class="room-side" tabIndex={-1} aria-label={say("room.about")}>
        <button class="text-button" onClick={() => go("")}>
          {say("room.back")}
        </button>
        <h2 dir="auto">{session.mission.title}</h2>
        {session.summary && <SummaryCard summary={session.summary} />}
        {!isClosed && <TimeLeft session={session} />}
        {!isClosed && <TalkButton key={id} connection={connection} sessionId={id} />}
        <TaskList connection={connection} session={session} />
        {isClosed ? (
          <>
            <h3>{say("practice.title")}</h3>
            <Practice connection={connection} />
          </>
        ) : (
          <EndButton connection={connection} id={id} />
        )}
      </aside>
    </div>
  );
}

interface ChatProps {
  connection: Connection;
  session: Session;
  isClosed: boolean;
}

function LessonChat({ connection, session, isClosed }: ChatProps) {
  const { id, threadId } = session;
  const conversation = useMemo(
    () =>
      new Conversation(connection, {
        agent: "tutor",
        ...(threadId && { threadId }),
        context: { sessionId: id },
        clientTools: CLIENT_TOOLS,
      }),
    [],
  );
  useEffect(() => () => conversation.close(), []);
  const over = isClosed ? say("room.over") : undefined;
  useEffect(() => void (conversation.closed.value = over), [over]);
  return (
    <ConversationView
      conversation={conversation}
      connection={connection}
      heading={session.mission.title}
    />
  );
}

/** Voice, loaded on use. */
function TalkButton(props: Omit<VoiceProps, "onClose">) {
  const isWanted = useSignal(false);
  if (isWanted.value) return <Voice {...props} onClose={() => (isWanted.value = false)} />;
  return (
    <button class="button" onClick={() => (isWanted.value = true)}>
      {say("voice.talk")}
    </button>
  );
}

function TimeLeft({ session: { startedAt, endsAt } }: { session: Session }) {
  const [whole, left] = [endsAt.toMillis() - startedAt.toMillis(), endsAt.toMillis() - Number(now.value)];
  const words = left > 0 ? say("room.left", { left: minutes(Math.ceil(left / 60_000)) }) : say("room.time_over");
  return (
    <div class="time-left" data-short={left < 120_000 || undefined}>
      <p role="timer">{words}</p>
      <meter min={0} max={whole} value={Math.max(0, left)} aria-label={say("room.time")} />
    </div>
  );
}

function TaskList({ connection, session: { id: sessionId, mission } }: { connection: Connection; session: Session }) {
  const of = completionsOf(connection.uid, sessionId);
  const done = useDocuments<Completion>(connection, `done ${sessionId}`, of).value.value ?? [];
  if (!mission.tasks.length) return null;
  return (
    <section>
      <h3>
        {say("tasks.title")}{" "}
        <span class="quiet" role="status">
          {say("room.done", { count: number(done.length), all: number(mission.tasks.length) })}
        </span>
      </h3>
      <ul class="room-tasks">
        {mission.tasks.map(({ id, text: words }) => {
          const isDone = done.some(({ taskId }) => taskId === id);
          return (
            <li key={id} data-done={isDone || undefined}>
              <span class="mark" aria-hidden="true">
                {isDone && <Icon name="check" />}
              </span>
              <span dir="auto">{words}</span>
              <span class="visually-hidden">: {say(isDone ? "task.done" : "task.open")}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function EndButton({ connection, id }: { connection: Connection; id: string }) {
  const isBusy = useSignal(false);
  const end = async (button: HTMLElement) => {
    const side = button.closest<HTMLElement>(".room-side");
    isBusy.value = true;
    try {
      await call(connection, "end_session", { sessionId: id }, { callKey: crypto.randomUUID() });
      side?.focus(); // the button goes
    } catch (error) {
      toastRefusal(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <button class="button" disabled={isBusy.value} onClick={({ currentTarget }) => void end(currentTarget)}>
      {say("room.end")}
    </button>
  );
}
