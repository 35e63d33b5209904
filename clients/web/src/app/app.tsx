/** The app: the sign-in, or the shell with the current view. */

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { pendingApprovals } from "../approvals/pending_approvals.js";
import { loadAgents } from "../chat/agents.js";
import { ThreadList } from "../chat/thread_list.js";
import type { Connection } from "../firebase/connection.js";
import { number, text } from "../text/locale.js";
import { Icon } from "./icon.js";
import { navigate, hrefOf, route } from "./route.js";
import { SignIn } from "./sign_in.js";
import { Announcements } from "./toast.js";
import { useChange } from "./use_change.js";
import { type View, VIEWS } from "./views.js";

export function App({ connection }: { connection: Connection }) {
  const user = connection.user.value;
  return (
    <>
      {user === undefined ? (
        <p class="loading quiet">{text("app.loading")}</p>
      ) : user === null ? (
        <SignIn connection={connection} />
      ) : (
        <Shell key={user.uid} connection={connection} />
      )}
      <Announcements />
    </>
  );
}

/** The menu and the threads beside the view; on a narrow screen the menu lies over it. */
function Shell({ connection }: { connection: Connection }) {
  const isOpen = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  const role = connection.role.value;
  const isOpenTo = ({ roles }: View) => !roles || (role !== undefined && roles.includes(role));
  const view = VIEWS.find(({ id }) => id === route.value.view) ?? VIEWS[0]!;
  const waiting = useMemo(() => pendingApprovals(connection), [connection]);
  const count = waiting.count.value;
  const title = `${count ? `(${number(count)}) ` : ""}${text(view.title)} · ${connection.deployment.configuration.name}`;
  useEffect(() => waiting.follow(), [waiting]);
  useSignalEffect(() => void loadAgents(connection)); // anew in another language
  useEffect(() => {
    document.title = title;
  }, [title]);
  /** The focus, of which the place is gone or goes with the menu, goes to the view, and closes the menu over it. */
  const keepFocus = () => (isOpen.value || document.activeElement === document.body) && main.current?.focus();
  useChange(route.value, keepFocus);
  return (
    <div
      class="shell"
      data-menu={isOpen.value ? "open" : undefined}
      onKeyDown={({ key }) => {
        if (key !== "Escape" || !isOpen.value) return;
        isOpen.value = false;
        menuButton.current?.focus();
      }}
    >
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {text("app.skip")}
      </a>
      <header class="topbar">
        <button
          class="icon-button menu-button"
          ref={menuButton}
          aria-expanded={isOpen.value}
          aria-controls="menu"
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name={isOpen.value ? "close" : "menu"} />
          <span class="visually-hidden">{text("app.menu")}</span>
        </button>
        <span class="brand">{connection.deployment.configuration.name}</span>
        <button class="icon-button" onClick={() => navigate({ view: "chat" })}>
          <Icon name="plus" />
          <span class="visually-hidden">{text("chat.new")}</span>
        </button>
      </header>
      <aside
        class="sidebar"
        id="menu"
        aria-label={text("app.menu")}
        onClick={({ target }) => (target as Element).closest("a") && keepFocus()}
      >
        <div class="brand sidebar-brand">{connection.deployment.configuration.name}</div>
        <button class="button new-chat" onClick={() => navigate({ view: "chat" })}>
          <Icon name="plus" />
          {text("chat.new")}
        </button>
        <ThreadList connection={connection} />
        <nav class="views" aria-label={text("app.views")}>
          {VIEWS.filter((each) => each.id !== "chat" && isOpenTo(each)).map(({ id, title, icon }) => (
            <a key={id} href={hrefOf({ view: id })} aria-current={view.id === id ? "page" : undefined}>
              <Icon path={icon} />
              {text(title)}
              {id === "inbox" && count > 0 && (
                <span class="badge" aria-label={text("inbox.count", { count })}>
                  {number(count)}
                </span>
              )}
            </a>
          ))}
        </nav>
      </aside>
      <div class="scrim" onClick={keepFocus} />
      <main class="main" id="main" tabIndex={-1} ref={main} onFocusIn={() => (isOpen.value = false)}>
        {isOpenTo(view) ? (
          <view.component connection={connection} />
        ) : (
          <p class="quiet loading">{text(role ? "app.not_yours" : "app.loading")}</p>
        )}
      </main>
    </div>
  );
}
