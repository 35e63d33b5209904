/** A turn on the screen: the user's message, the answer, and their actions. */

import { useComputed, useSignal } from "@preact/signals";
import { memo } from "preact/compat";
import { useRef } from "preact/hooks";

import { ActionForm } from "../app/action_form.js";
import { Icon, type IconName } from "../app/icon.js";
import { isOnline } from "../app/network.js";
import { copy } from "../app/output.js";
import { now } from "../approvals/clock.js";
import { dateTime, type Key, text, shortTime } from "../text/locale.js";
import { ChatApprovals, Citations, Markdown, ToolCard } from "./answer_parts.js";
import type { Conversation } from "./conversation.js";
import { ProblemNote } from "./problem_note.js";
import { problemOf, stopText } from "./problems.js";
import { Rating } from "./rating.js";
import type { Item, Turn, TurnView } from "./turn.js";

interface Props {
  turn: Turn;
  conversation: Conversation;
  isNewest: boolean;
}

export const TurnBlock = memo(function TurnBlock({ turn, conversation, isNewest }: Props) {
  return (
    <section class="turn">
      {turn.message.length > 0 && (
        <Message turn={turn} conversation={conversation} isNewest={isNewest} />
      )}
      <Answer turn={turn} conversation={conversation} isNewest={isNewest} />
      <ChatApprovals turn={turn} conversation={conversation} />
    </section>
  );
});

function Message({ turn, conversation, isNewest }: Props) {
  const isEditing = useSignal(false);
  const article = useRef<HTMLElement>(null);
  const view = turn.view.value;
  const mayEdit = isNewest && view.state !== "sending" && view.state !== "running";
  if (isEditing.value)
    return (
      <EditForm
        turn={turn}
        onSave={(words) => {
          const others = turn.message.flatMap((part) => {
            if (part.type === "text") return [];
            const { type, fileId, name } = part; // the log says more than a message may
            return [{ type, ...(fileId && { fileId }), ...(name && { name }) }];
          });
          void conversation.send([{ type: "text", text: words }, ...others], { replaces: turn });
        }}
        onCancel={() => {
          isEditing.value = false;
          requestAnimationFrame(() => article.current?.querySelector("button")?.focus());
        }}
      />
    );
  return (
    <article class="message" part="message" aria-label={text("turn.yours")} ref={article}>
      <div class="bubble">
        {turn.text && (
          <p class="words" dir="auto">
            {turn.text}
          </p>
        )}
        {turn.message.map((part, at) =>
          part.type === "text" ? null : (
            <span class="attachment" key={at}>
              <Icon name="file" />
              <bdi>{part.name ?? text("turn.file")}</bdi>
            </span>
          ),
        )}
      </div>
      <div class="actions">
        <time class="quiet" dateTime={turn.createdAt.toISOString()} title={dateTime(turn.createdAt)}>
          {shortTime(turn.createdAt)}
        </time>
        {mayEdit && <Action icon="edit" name="turn.edit" onClick={() => (isEditing.value = true)} />}
      </div>
    </article>
  );
}

function EditForm({
  turn,
  onSave,
  onCancel,
}: {
  turn: Turn;
  onSave: (words: string) => void;
  onCancel: () => void;
}) {
  const words = useSignal(turn.text);
  const save = () => words.value.trim() && onSave(words.value.trim());
  return (
    <ActionForm class="edit" action={text("turn.edit.send")} onSubmit={save} onCancel={onCancel}>
      <label>
        <span class="visually-hidden">{text("turn.edit")}</span>
        <textarea
          dir="auto"
          rows={3}
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
      </label>
      <p class="quiet">{text("turn.edit.note")}</p>
    </ActionForm>
  );
}

function Answer({ turn, conversation, isNewest }: Props) {
  const view = turn.view.value;
  const { state, items, result, error } = view;
  const isRunning = state === "sending" || state === "running";
  const quickReplies = isNewest && state === "done" ? (result?.quickReplies ?? []) : [];
  const isLate = useComputed(() => {
    const ends = turn.view.value.result?.outcome.interrupts?.map(({ expiresAt }) => Date.parse(expiresAt)) ?? [];
    return ends.length > 0 && Math.max(...ends) <= Number(now.value);
  }).value;
  const isPending = isNewest && state === "waiting" && !isLate; // a turn that others follow waits no more
  const stopped = stopText(result?.stopReason);
  return (
    <article class="answer" part="answer" tabIndex={-1} aria-label={text("turn.answer")} aria-busy={isRunning}>
      {items.map((item) => (
        <ItemBlock key={item.id} item={item} isLeft={state === "waiting" && !isPending} />
      ))}
      {result && <Citations citations={result.citations} />}
      {isRunning && <Progress view={view} />}
      {state === "cancelled" && !result && <p class="note">{text("run.stopped")}</p>}
      {isPending && <p class="note">{text("run.waiting")}</p>}
      {stopped && <p class="note">{stopped}</p>}
      {error && state === "failed" && (
        <ProblemNote
          problem={problemOf(error)}
          {...(isNewest && { onRetry: () => void conversation.retry(turn) })}
        />
      )}
      {!isRunning && items.length > 0 && (
        <div class="actions">
          <Action icon="copy" name="turn.copy" onClick={() => copy(turn.answer, text("turn.copied"))} />
          {isNewest && (
            <Action icon="retry" name="turn.retry" onClick={() => conversation.retry(turn)} />
          )}
          {state === "done" && <Rating turn={turn} conversation={conversation} />}
        </div>
      )}
      {quickReplies.length > 0 && (
        <div class="quick-replies" role="group" aria-label={text("turn.quick_replies")}>
          {quickReplies.map((reply) => (
            <button
              key={reply}
              class="button"
              dir="auto"
              onClick={() => conversation.send([{ type: "text", text: reply }])}
            >
              {reply}
            </button>
          ))}
        </div>
      )}
    </article>
  );
}

const ItemBlock = memo(function ItemBlock({ item, isLeft }: { item: Item; isLeft: boolean }) {
  if (item.kind === "call") return <ToolCard call={item.call} isLeft={isLeft} />;
  return item.text ? <Markdown text={item.text} isWhole={item.isWhole} /> : null;
});

/** The agent's current activity, while nothing else shows it. */
function Progress({ view }: { view: TurnView }) {
  const last = view.items.at(-1);
  const isWriting = last?.kind === "text" && !last.isWhole && last.text;
  if (isWriting && isOnline.value) return null;
  const key = view.state === "sending" ? "run.sending" : "run.thinking";
  const offline = view.state === "sending" ? "run.offline.unsent" : "run.offline";
  if (!isOnline.value) return <p class="note">{text(offline)}</p>;
  return (
    <p class="thinking quiet">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {text(key)}
    </p>
  );
}

export function Action({
  icon,
  name,
  isPressed,
  onClick,
}: {
  icon: IconName;
  name: Key;
  isPressed?: boolean;
  onClick: () => void;
}) {
  return (
    <button
      class="icon-button small"
      title={text(name)}
      {...(isPressed !== undefined && { "aria-pressed": isPressed })}
      onClick={onClick}
    >
      <Icon name={icon} />
      <span class="visually-hidden">{text(name)}</span>
    </button>
  );
}
