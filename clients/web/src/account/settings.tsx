/** Settings: language, theme, and the user's account and data. */

import type { RollcallError } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { signOut } from "firebase/auth";

import { Confirmation } from "../app/confirmation.js";
import { Icon } from "../app/icon.js";
import { save } from "../app/output.js";
import { toast } from "../app/toast.js";
import { reasonOf } from "../chat/problems.js";
import { invoke } from "../firebase/calls.js";
import type { Connection } from "../firebase/connection.js";
import { text } from "../text/locale.js";
import { LanguageChoice, ThemeChoice } from "./choices.js";

type Asking = "erase" | "erase_account";

export function Settings({ connection }: { connection: Connection }) {
  const asking = useSignal<Asking | undefined>(undefined);
  const isBusy = useSignal(false);
  const user = connection.user.value;

  const attempt = async (work: () => Promise<unknown>) => {
    isBusy.value = true;
    try {
      await work();
    } catch (error) {
      toast(text("data.failed", { reason: reasonOf(error as RollcallError) }));
    }
    isBusy.value = false;
  };
  const exportData = async () => {
    const name = `rollcall-${new Date().toISOString().slice(0, 10)}.json`;
    save(new File([JSON.stringify(await allData(connection), null, 2)], name, { type: "application/json" }));
    toast(text("data.exported"));
  };
  const erase = async (what: Asking) => {
    const withAccount = what === "erase_account";
    await invoke(connection, "delete_my_data", { confirm: true, ...(withAccount && { deleteAccount: true }) });
    toast(text(withAccount ? "data.account_erased" : "data.erased"));
    if (withAccount) await signOut(connection.auth);
  };

  return (
    <div class="page">
      <h1>{text("settings.title")}</h1>
      <section>
        <h2>{text("settings.language")}</h2>
        <LanguageChoice />
      </section>
      <section>
        <h2>{text("settings.theme")}</h2>
        <ThemeChoice />
      </section>
      <section>
        <h2>{text("settings.account")}</h2>
        <p class="quiet">
          {user?.email ? text("settings.signed_in", { name: user.email }) : text("settings.guest")}
        </p>
        <button class="button" onClick={() => signOut(connection.auth)}>
          <Icon name="leave" />
          {text("settings.sign_out")}
        </button>
      </section>
      <section>
        <h2>{text("data.title")}</h2>
        <p class="quiet">{text("data.lead")}</p>
        <div class="row">
          <button class="button" disabled={isBusy.value} onClick={() => attempt(exportData)}>
            {text("data.export")}
          </button>
          {(["erase", "erase_account"] as const).map((what) => (
            <button
              key={what}
              class="button danger"
              disabled={isBusy.value}
              onClick={() => (asking.value = what)}
            >
              {text(`data.${what}`)}
            </button>
          ))}
        </div>
      </section>
      {asking.value && (
        <Confirmation
          title={text(`data.${asking.value}.title`)}
          body={text(`data.${asking.value}.stays`)}
          action={text(`data.${asking.value}`)}
          onConfirm={() => {
            const what = asking.value as Asking;
            void attempt(() => erase(what));
          }}
          onClose={() => (asking.value = undefined)}
        />
      )}
    </div>
  );
}

/** All pages of the export. */
async function allData(connection: Connection): Promise<unknown[]> {
  type Page = { items: unknown[]; cursor?: string | null };
  const items: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const page: Page = await invoke(connection, "export_my_data", cursor ? { cursor } : {});
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor);
  return items;
}
