/** The turns of a conversation, and the scroll position. */

import type { RollcallError } from "@rollcall/client";
import { useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

import { Icon } from "../app/icon.js";
import { isOnline } from "../app/network.js";
import { announce, toast } from "../app/toast.js";
import { text } from "../text/locale.js";
import type { Conversation } from "./conversation.js";
import { reasonOf } from "./problems.js";
import type { TurnState } from "./turn.js";
import { TurnBlock } from "./turn_block.js";

/** Within this distance of the end, in pixels, the log scrolls with new text. */
const NEAR = 80;

export function Log({ conversation }: { conversation: Conversation }) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const height = useRef(0);
  const top = useRef(0);
  const hasNews = useSignal(false);
  const turns = conversation.turns.value;

  const toEnd = () => {
    const box = scroller.current;
    if (!box) return;
    box.scrollTop = box.scrollHeight;
    top.current = box.scrollTop;
    [isAtEnd.current, hasNews.value] = [true, false];
  };

  // Scroll with new text only while the user is at the end.
  useLayoutEffect(() => {
    const [box, inner] = [scroller.current, content.current];
    if (!box || !inner) return;
    const observer = new ResizeObserver(() => {
      const grows = inner.offsetHeight > height.current;
      height.current = inner.offsetHeight;
      const isWaiting = conversation.newest.peek()?.view.peek().state === "waiting";
      if (isAtEnd.current) toEnd();
      else if (grows && (isWaiting || conversation.isBusy.peek())) hasNews.value = true;
    });
    observer.observe(inner);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  // Always scroll to the user's own new message; its answer gets the focus that went with a button of the old one.
  const newest = turns.at(-1)?.key;
  useLayoutEffect(() => {
    if (conversation.newest.peek()?.view.peek().state !== "sending") return;
    toEnd();
    if (document.activeElement !== document.body) return;
    content.current?.querySelector<HTMLElement>(".turn:last-child .answer")?.focus({ preventScroll: true });
  }, [newest]);

  const onScroll = () => {
    const box = scroller.current;
    if (!box) return; // it has scrolled before it went, and is told of it afterwards
    // The end may have moved since the last scroll: only scrolling up leaves it.
    if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR) isAtEnd.current = true;
    else if (box.scrollTop < top.current) isAtEnd.current = false;
    top.current = box.scrollTop;
    if (isAtEnd.current) hasNews.value = false;
    if (box.scrollTop < NEAR && conversation.hasOlder.value && isOnline.value) void older();
  };

  /** Older turns are inserted above, without moving what the user reads. */
  const older = async () => {
    const box = scroller.current as HTMLDivElement;
    const fromEnd = box.scrollHeight - box.scrollTop;
    try {
      await conversation.loadOlder();
    } catch (error) {
      toast(text("threads.not_done", { reason: reasonOf(error as RollcallError) }));
    }
    requestAnimationFrame(() => (box.scrollTop = box.scrollHeight - fromEnd));
  };

  // Announce each state once: running, done, stopped, failed, waiting.
  const said = useRef<string | undefined>(undefined);
  useSignalEffect(() => {
    const turn = conversation.newest.value;
    const state = turn?.view.value.state;
    if (!turn || !state) return;
    const now = `${turn.key} ${state}`;
    const before = said.current;
    said.current = now;
    if (before !== undefined && before !== now) announce(text(SPOKEN[state]));
  });

  return (
    <div class="log-frame">
      <div class="log-scroll" ref={scroller} onScroll={onScroll} tabIndex={-1}>
        <div class="log" ref={content}>
          {conversation.hasOlder.value && (
            <button class="text-button older" onClick={older} disabled={conversation.isLoading.value}>
              {text("chat.older")}
            </button>
          )}
          {conversation.isLoading.value && !turns.length && (
            <p class="quiet loading">{text("app.loading")}</p>
          )}
          {!conversation.isLoading.value && !conversation.error.value && !turns.length && (
            <p class="quiet loading">{text("chat.cleared")}</p>
          )}
          {turns.map((turn, at) => (
            <TurnBlock
              key={turn.key}
              turn={turn}
              conversation={conversation}
              isNewest={at === turns.length - 1 && !conversation.closed.value /* or nothing of it may be changed */}
            />
          ))}
        </div>
      </div>
      {hasNews.value && (
        <button class="button new-below" onClick={toEnd}>
          <Icon name="arrow_down" />
          {text("chat.new_below")}
        </button>
      )}
    </div>
  );
}

const SPOKEN = {
  sending: "run.sending",
  running: "run.started",
  done: "run.finished",
  waiting: "run.waiting",
  cancelled: "run.stopped",
  failed: "run.failed",
} as const satisfies Record<TurnState, string>;
