/** The chat: a conversation and the composer. */

import type { RollcallError } from "@rollcall/client";
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { isOnline } from "../app/network.js";
import { navigate, route, type Route } from "../app/route.js";
import { toast } from "../app/toast.js";
import type { Connection } from "../firebase/connection.js";
import { ConnectionContext } from "../firebase/connection_context.js";
import { Line } from "../markdown/prose.js";
import { locale, text } from "../text/locale.js";
import { agentName, agents, agentsProblem, chosenAgent, loadAgents } from "./agents.js";
import { Beside, load } from "./answer_parts.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { Log } from "./log.js";
import { ProblemNote } from "./problem_note.js";
import { problemOf, reasonOf } from "./problems.js";

/** The view: the thread that the address names, or a new one. */
export function Chat({ connection }: { connection: Connection }) {
  const current = useSignal<Conversation | undefined>(undefined);
  const error = useSignal<RollcallError | undefined>(undefined);
  /** Where the conversation began that has no id yet: it is left by going there again. */
  const begunAt = useRef<Route | undefined>(undefined);
  const threadId = route.value.id;
  useEffect(() => {
    const open = current.value;
    const isBegunHere = threadId ? open?.threadId.value === threadId : begunAt.current === route.value;
    if (open && isBegunHere) return;
    open?.close();
    current.value = undefined;
    error.value = undefined;
    if (!threadId) return;
    let isWanted = true;
    void connection
      .store()
      .then((store) => store.agentOf(threadId))
      .then(
        (agent) => {
          if (isWanted) current.value = new Conversation(connection, { agent, threadId });
        },
        (cause) => isWanted && (error.value = cause as RollcallError),
      );
    return () => (isWanted = false);
  }, [route.value, isOnline.value]);
  useEffect(() => () => current.value?.close(), []);
  useSignalEffect(() => {
    const open = current.value?.threadId.value;
    if (open && !route.peek().id && route.peek().view === "chat")
      navigate({ view: "chat", id: open }, { isSame: true });
  });

  if (error.value)
    return (
      <div class="centred">
        <ProblemNote problem={problemOf(error.value)} retry="app.reload" onRetry={() => location.reload()} />
      </div>
    );
  if (threadId && !current.value) return <p class="quiet loading">{text("app.loading")}</p>;
  if (current.value) return <ConversationView conversation={current.value} connection={connection} />;
  return (
    <NewConversation
      key="new"
      connection={connection}
      onBegin={(conversation) => {
        begunAt.current = route.peek();
        current.value = conversation;
      }}
    />
  );
}

/** The start of a conversation: the choice of an agent, and examples. */
function NewConversation({
  connection,
  onBegin,
}: {
  connection: Connection;
  onBegin: (conversation: Conversation) => void;
}) {
  const known = agents.value;
  const agent = chosenAgent.value;
  const problem = agentsProblem.value;
  const isLoading = !known && !problem;
  const placeholder = agent
    ? text("composer.to", { agent: agentName(agent) })
    : isLoading ? text("composer.loading") : "";
  return (
    <div class="conversation new">
      <div class="log-scroll">
        <div class="welcome">
          <h1>{text("chat.hello")}</h1>
          <p class="quiet">{text("chat.hello.lead")}</p>
          {known && known.length > 1 && (
            <fieldset class="agents">
              <legend>{text("chat.agent")}</legend>
              {known.map(({ id, name }) => (
                <label key={id} class="agent">
                  <input
                    type="radio"
                    name="agent"
                    checked={id === agent}
                    onChange={() => (chosenAgent.value = id)}
                  />
                  <span dir="auto">{name}</span>
                </label>
              ))}
            </fieldset>
          )}
          {problem && (
            <ProblemNote
              problem={problemOf(problem)}
              retry="app.try_again"
              onRetry={() => void loadAgents(connection)}
            />
          )}
          {known?.length === 0 && <p class="note">{text("chat.no_agents")}</p>}
          <ul class="hints quiet">
            <li>{text("chat.hint.ask")}</li>
            <li>{text("chat.hint.approve")}</li>
            <li>{text("chat.hint.attach")}</li>
          </ul>
        </div>
      </div>
      <Composer
        connection={connection}
        placeholder={placeholder}
        isReady={agent !== undefined}
        isLoading={isLoading}
        onSend={(message) => {
          const conversation = new Conversation(connection, { agent: agent as string });
          onBegin(conversation);
          void conversation.send(message);
        }}
      />
    </div>
  );
}

interface ConversationProps {
  conversation: Conversation;
  connection: Connection;
  /** What it is called, in place of the thread's own title. */
  heading?: string;
  /** What stands in the place of the log before the first message. */
  welcome?: ComponentChildren;
}

export function ConversationView({ conversation, connection, heading, welcome }: ConversationProps) {
  const isBusy = useComputed(() => conversation.isBusy.value);
  const error = conversation.error.value;
  const isNew = welcome && !conversation.threadId.value && !conversation.newest.value;
  const title = heading ?? (conversation.title.value || text("chat.untitled"));
  useEffect(() => void load().then(({ loadTools }) => loadTools(connection)), [connection, locale.value]);
  return (
    <ConnectionContext.Provider value={connection}>
    <div class="with-beside">
    <div class="conversation" part="conversation">
      {!isNew && <h1 class="conversation-title">
        <Line>{title}</Line>
        <span class="quiet agent-name">{agentName(conversation.agent)}</span>
      </h1>}
      {error && (
        <ProblemNote problem={problemOf(error)} retry="app.try_again" onRetry={() => void conversation.open()} />
      )}
      {isNew ? (
        <div class="log-scroll">
          <div class="welcome">{welcome}</div>
        </div>
      ) : (
        <Log conversation={conversation} />
      )}
      {conversation.closed.value ? (
        <p class="conversation-closed quiet">{conversation.closed.value}</p>
      ) : (
        <Composer
          connection={connection}
          placeholder={text("composer.to", { agent: agentName(conversation.agent) })}
          isReady={!conversation.isLoading.value && !error}
          isLoading={conversation.isLoading.value}
          isBusy={isBusy.value}
          takesFocus={conversation.newest.peek()?.view.peek().state === "sending"}
          unsent={conversation.unsent}
          onSend={(message) => void conversation.send(message)}
          onStop={() =>
            void conversation.stop().catch((cause: RollcallError) => {
              toast(text("threads.not_done", { reason: reasonOf(cause) }));
            })
          }
        />
      )}
    </div>
    <Beside />
    </div>
    </ConnectionContext.Provider>
  );
}
