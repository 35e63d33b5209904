/** Signing in, by the ways that the project has enabled. */

import { useSignal } from "@preact/signals";
import {
  createUserWithEmailAndPassword,
  sendPasswordResetEmail,
  signInAnonymously,
  signInWithEmailAndPassword,
} from "firebase/auth";
import type { TargetedSubmitEvent } from "preact";

import { LanguageChoice } from "../account/choices.js";
import { assetUrl, type SignInMethod } from "../firebase/configuration.js";
import type { Connection } from "../firebase/connection.js";
import { type Key, text } from "../text/locale.js";

const PROBLEMS: Record<string, Key> = {
  "auth/invalid-credential": "sign_in.wrong",
  "auth/invalid-email": "sign_in.wrong",
  "auth/user-not-found": "sign_in.wrong",
  "auth/wrong-password": "sign_in.wrong",
  "auth/email-already-in-use": "sign_in.taken",
  "auth/weak-password": "sign_in.weak",
  "auth/too-many-requests": "sign_in.too_many",
  "auth/user-disabled": "sign_in.disabled",
  "auth/network-request-failed": "sign_in.offline",
  "auth/popup-blocked": "sign_in.blocked",
  "auth/operation-not-allowed": "sign_in.not_enabled",
};
/** The user changed their mind, which is no problem. */
const GIVEN_UP = ["auth/popup-closed-by-user", "auth/cancelled-popup-request"];

export function SignIn({ connection }: { connection: Connection }) {
  const { auth, deployment } = connection;
  const { configuration, emulators } = deployment;
  const note = useSignal<Key | undefined>(undefined);
  const isBusy = useSignal(false);
  const isNew = useSignal(false);
  const email = useSignal("");

  const attempt = async (work: () => Promise<unknown>) => {
    [isBusy.value, note.value] = [true, undefined];
    try {
      await work();
    } catch (error) {
      const code = String((error as { code?: string }).code);
      if (!GIVEN_UP.includes(code)) note.value = PROBLEMS[code] ?? "sign_in.failed";
    }
    isBusy.value = false;
  };
  const google = async () => {
    const { browserPopupRedirectResolver, GoogleAuthProvider, signInWithPopup } =
      await import("./google.js");
    await signInWithPopup(auth, new GoogleAuthProvider(), browserPopupRedirectResolver);
  };
  const byPassword = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get("password"));
    const enter = isNew.value ? createUserWithEmailAndPassword : signInWithEmailAndPassword;
    void attempt(() => enter(auth, email.value.trim(), password));
  };
  const forgotten = () =>
    attempt(async () => {
      await sendPasswordResetEmail(auth, email.value.trim());
      note.value = "sign_in.sent";
    });
  const { sampleUser: sample } = configuration;
  // The Auth emulator has all of them enabled, and a guest needs no account there.
  const has = (method: SignInMethod) =>
    configuration.signIn.includes(method) || (method === "anonymous" && emulators !== undefined);

  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <img src={assetUrl("icon.svg")} alt="" width="48" height="48" />
        <h1>{text("sign_in.welcome", { name: configuration.name })}</h1>
        <p class="quiet">{text("sign_in.lead")}</p>
        {emulators && sample && (
          <button
            class="button primary wide"
            disabled={isBusy.value}
            onClick={() =>
              attempt(() => signInWithEmailAndPassword(auth, sample.email, sample.password))
            }
          >
            {text("sign_in.sample")}
          </button>
        )}
        {has("google") && (
          <button class="button wide" disabled={isBusy.value} onClick={() => attempt(google)}>
            {text("sign_in.google")}
          </button>
        )}
        {has("password") && (
          <form class="fields" onSubmit={byPassword}>
            <label class="field">
              <span>{text("sign_in.email")}</span>
              <input
                type="email"
                name="email"
                autocomplete="username"
                required
                dir="ltr"
                value={email.value}
                onInput={(event) => (email.value = event.currentTarget.value)}
              />
            </label>
            <label class="field">
              <span>{text("sign_in.password")}</span>
              <input
                type="password"
                name="password"
                autocomplete={isNew.value ? "new-password" : "current-password"}
                required
                minLength={6}
                dir="ltr"
              />
            </label>
            <p class="note" role="alert">
              {note.value && text(note.value)}
            </p>
            <button class="button wide" disabled={isBusy.value}>
              {text(isNew.value ? "sign_in.create" : "sign_in.enter")}
            </button>
            <div class="row spread">
              <button
                type="button"
                class="text-button"
                onClick={() => ([isNew.value, note.value] = [!isNew.value, undefined])}
              >
                {text(isNew.value ? "sign_in.have_account" : "sign_in.no_account")}
              </button>
              {!isNew.value && (
                <button
                  type="button"
                  class="text-button"
                  disabled={!email.value.includes("@")}
                  onClick={forgotten}
                >
                  {text("sign_in.forgotten")}
                </button>
              )}
            </div>
          </form>
        )}
        {has("anonymous") && (
          <button
            class="text-button"
            disabled={isBusy.value}
            onClick={() => attempt(() => signInAnonymously(auth))}
          >
            {text("sign_in.anonymous")}
          </button>
        )}
        <LanguageChoice />
      </div>
    </main>
  );
}
