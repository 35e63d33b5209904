/** The user's threads: found by their titles, renamed, archived, cleared and deleted. */

import type { Rollcall, RollcallError, Thread } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { Icon, type IconName } from "../app/icon.js";
import { copy } from "../app/output.js";
import { navigate, hrefOf, route } from "../app/route.js";
import { toast } from "../app/toast.js";
import type { Connection } from "../firebase/connection.js";
import { Line } from "../markdown/prose.js";
import { type Key, text, shortTime } from "../text/locale.js";
import { Confirmation } from "../app/confirmation.js";
import { agentName } from "./agents.js";
import { reasonOf } from "./problems.js";

const PAGE = 50;
const MAX_THREADS = 500;

export function ThreadList({ connection }: { connection: Connection }) {
  const threads = useSignal<Thread[] | undefined>(undefined);
  const search = useSignal("");
  const status = useSignal<Thread["status"]>("active");
  const most = useSignal(PAGE);
  const hasFailed = useSignal(false);
  useEffect(() => {
    const onError = () => (hasFailed.value = true);
    return connection.use(({ rollcall }, signal) => {
      const chosen = { status: status.value, most: most.value, onError };
      hasFailed.value = false;
      signal.addEventListener("abort", rollcall.threads.watch((found) => (threads.value = found), chosen));
    }, onError);
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
  const address = hrefOf({ view: "chat", id: thread.id });
  const title = thread.title || text("chat.untitled");

  const close = () => {
    isOpen.value = false;
    row.current?.querySelector<HTMLElement>(".thread-menu-button")?.focus();
  };
  const endRename = () => {
    isRenaming.value = false;
    requestAnimationFrame(close);
  };
  const attempt = async (work: (threads: Rollcall["threads"]) => Promise<unknown>, { leaves = false } = {}) => {
    const beside = row.current?.nextElementSibling ?? row.current?.previousElementSibling;
    try {
      await work((await connection.store()).rollcall.threads);
      const { activeElement: focused, body } = document;
      if (leaves && (focused === body || row.current?.contains(focused))) beside?.querySelector("a")?.focus();
    } catch (error) {
      toast(text("threads.not_done", { reason: reasonOf(error as RollcallError) }));
    }
  };
  const remove = (what: Asking) =>
    attempt(async (threads) => {
      if (what === "clear") await threads.clear(thread.id);
      else await threads.delete(thread.id);
      toast(text(what === "clear" ? "threads.cleared" : "threads.deleted"));
      // The user may have gone on to another one meanwhile.
      if (route.peek().id === thread.id) navigate({ view: "chat" });
    }, { leaves: what === "delete" });
  const isActive = thread.status === "active";
  const move = () =>
    attempt((threads) => (isActive ? threads.archive(thread.id) : threads.restore(thread.id)), { leaves: true });
  const actions: [IconName, Key, () => unknown][] = [
    ["edit", "threads.rename", () => (isRenaming.value = true)],
    ["archive", isActive ? "threads.archive" : "threads.restore", move],
    ["link", "threads.copy_link", () => copy(new URL(address, location.href).href, text("threads.link_copied"))],
    ["broom", "threads.clear", () => (asking.value = "clear")],
    ["bin", "threads.delete", () => (asking.value = "delete")],
  ];

  if (isRenaming.value)
    return (
      <li ref={row}>
        <form
          class="rename"
          onSubmit={(event) => {
            event.preventDefault();
            const renamed = String(new FormData(event.currentTarget).get("title")).trim();
            endRename();
            if (renamed) void attempt((threads) => threads.rename(thread.id, renamed));
          }}
          onKeyDown={(event) => event.key === "Escape" && [event.stopPropagation(), endRename()]}
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
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !(isOpen.value || asking.value)) return;
        event.stopPropagation(); // the list stays on a phone, too
        if (isOpen.value) close();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget && !row.current?.contains(relatedTarget as Node)) isOpen.value = false;
      }}
    >
      <a
        href={address}
        aria-current={isCurrent ? "page" : undefined}
        title={title}
      >
        <span class="thread-title">
          <Line>{title}</Line>
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
          {actions.map(([icon, name, run]) => (
            <button key={icon} class={icon === "bin" ? "danger" : undefined} onClick={() => [close(), run()]}>
              <Icon name={icon} />
              {text(name)}
            </button>
          ))}
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
