/** The user's threads: found by their titles, renamed, archived, cleared and deleted. */

import type { Thread } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { Icon } from "../app/icon.js";
import { navigate, hrefOf, route } from "../app/route.js";
import { toast } from "../app/toast.js";
import type { Connection } from "../firebase/connection.js";
import { text, shortTime } from "../text/locale.js";
import { Confirmation } from "../app/confirmation.js";
import { agentName } from "./agents.js";

const PAGE = 50;
const MAX_THREADS = 500;

export function ThreadList({ connection }: { connection: Connection }) {
  const threads = useSignal<Thread[] | undefined>(undefined);
  const search = useSignal("");
  const status = useSignal<Thread["status"]>("active");
  const most = useSignal(PAGE);
  const hasFailed = useSignal(false);
  useEffect(() => {
    let stop: (() => void) | undefined;
    let isWanted = true;
    const failed = () => (hasFailed.value = true);
    connection.store().then(({ rollcall }) => {
      if (!isWanted || !connection.isSignedIn) return;
      const chosen = { status: status.value, most: most.value, onError: failed };
      hasFailed.value = false;
      stop = rollcall.threads.watch((found) => (threads.value = found), chosen);
    }, failed);
    return () => {
      isWanted = false;
      stop?.();
    };
  }, [status.value, most.value]);

  // Titles are searched here: whoever searches sees all that can be shown.
  const words = search.value.trim().toLocaleLowerCase();
  const found = threads.value?.filter(({ title }) =>
    (title ?? "").toLocaleLowerCase().includes(words),
  );
  const isArchive = status.value === "archived";
  return (
    <section class="threads" aria-label={text("threads.title")}>
      <label class="search">
        <Icon name="search" />
        <span class="visually-hidden">{text("threads.search")}</span>
        <input
          type="search"
          dir={search.value ? "auto" : undefined}
          placeholder={text("threads.search")}
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
            if (search.value) most.value = MAX_THREADS;
          }}
        />
      </label>
      {hasFailed.value && <p class="note">{text("threads.failed")}</p>}
      {!found && !hasFailed.value && <p class="quiet threads-note">{text("app.loading")}</p>}
      {found?.length === 0 && (
        <p class="quiet threads-note">
          {text(words ? "threads.none_found" : isArchive ? "threads.none_archived" : "threads.none")}
        </p>
      )}
      <ul>
        {found?.map((thread) => (
          <ThreadRow key={thread.id} thread={thread} connection={connection} />
        ))}
      </ul>
      {!words && threads.value?.length === most.value && most.value < MAX_THREADS && (
        <button class="text-button" onClick={() => (most.value = Math.min(MAX_THREADS, most.value + PAGE))}>
          {text("threads.more")}
        </button>
      )}
      <button
        class="text-button"
        aria-pressed={isArchive}
        onClick={() => (status.value = isArchive ? "active" : "archived")}
      >
        {text(isArchive ? "threads.show_active" : "threads.show_archived")}
      </button>
    </section>
  );
}

type Asking = "clear" | "delete";

function ThreadRow({ thread, connection }: { thread: Thread; connection: Connection }) {
  const isOpen = useSignal(false);
  const isRenaming = useSignal(false);
  const asking = useSignal<Asking | undefined>(undefined);
  const row = useRef<HTMLLIElement>(null);
  const isCurrent = route.value.id === thread.id;
  const title = thread.title || text("chat.untitled");

  const attempt = async (work: (threads: import("@rollcall/client").Rollcall["threads"]) => Promise<unknown>) => {
    isOpen.value = false;
    try {
      await work((await connection.store()).rollcall.threads);
    } catch (error) {
      toast(text("threads.not_done", { reason: (error as Error).message }));
    }
  };
  const remove = (what: Asking) =>
    attempt(async (threads) => {
      if (what === "clear") await threads.clear(thread.id);
      else await threads.delete(thread.id);
      toast(text(what === "clear" ? "threads.cleared" : "threads.deleted"));
      if (isCurrent) navigate({ view: "chat" });
    });
  const close = () => {
    isOpen.value = false;
    row.current?.querySelector<HTMLElement>(".thread-menu-button")?.focus();
  };

  if (isRenaming.value)
    return (
      <li ref={row}>
        <form
          class="rename"
          onSubmit={(event) => {
            event.preventDefault();
            const renamed = String(new FormData(event.currentTarget).get("title")).trim();
            isRenaming.value = false;
            if (renamed) void attempt((threads) => threads.rename(thread.id, renamed));
          }}
          onKeyDown={(event) => event.key === "Escape" && (isRenaming.value = false)}
        >
          <label>
            <span class="visually-hidden">{text("threads.rename")}</span>
            <input
              name="title"
              dir="auto"
              maxLength={200}
              defaultValue={thread.title ?? ""}
              ref={(element) => element?.focus()}
              onBlur={() => (isRenaming.value = false)}
            />
          </label>
        </form>
      </li>
    );
  return (
    <li
      ref={row}
      class="thread"
      onKeyDown={(event) => event.key === "Escape" && isOpen.value && close()}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget && !row.current?.contains(relatedTarget as Node)) isOpen.value = false;
      }}
    >
      <a
        href={hrefOf({ view: "chat", id: thread.id })}
        aria-current={isCurrent ? "page" : undefined}
        title={title}
      >
        <span class="thread-title">
          <bdi>{title}</bdi>
        </span>
        <span class="quiet thread-about">
          <bdi>{agentName(thread.agent)}</bdi> <span>{shortTime(thread.updatedAt)}</span>
          {thread.waits && <span class="badge">{text("threads.waits")}</span>}
        </span>
      </a>
      <button
        class="icon-button small thread-menu-button"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name="more" />
        <span class="visually-hidden">{text("threads.menu", { title })}</span>
      </button>
      {isOpen.value && (
        <div class="menu">
          <button onClick={() => ((isRenaming.value = true), (isOpen.value = false))}>
            <Icon name="edit" />
            {text("threads.rename")}
          </button>
          <button
            onClick={() =>
              attempt((threads) =>
                thread.status === "active" ? threads.archive(thread.id) : threads.restore(thread.id),
              )
            }
          >
            <Icon name="archive" />
            {text(thread.status === "active" ? "threads.archive" : "threads.restore")}
          </button>
          <button onClick={() => attempt(() => copyLink(thread.id))}>
            <Icon name="link" />
            {text("threads.copy_link")}
          </button>
          <button onClick={() => ((asking.value = "clear"), (isOpen.value = false))}>
            <Icon name="broom" />
            {text("threads.clear")}
          </button>
          <button class="danger" onClick={() => ((asking.value = "delete"), (isOpen.value = false))}>
            <Icon name="bin" />
            {text("threads.delete")}
          </button>
        </div>
      )}
      {asking.value && (
        <Confirmation
          title={text(`threads.${asking.value}.title`, { title })}
          body={text(`threads.${asking.value}.stays`)}
          action={text(`threads.${asking.value}`)}
          onConfirm={() => void remove(asking.value as Asking)}
          onClose={() => {
            asking.value = undefined;
            close();
          }}
        />
      )}
    </li>
  );
}

async function copyLink(threadId: string): Promise<void> {
  const link = new URL(hrefOf({ view: "chat", id: threadId }), location.href);
  await navigator.clipboard.writeText(link.href);
  toast(text("threads.link_copied"));
}
