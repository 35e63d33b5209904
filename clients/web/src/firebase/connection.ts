/** The Firebase project, and its Rollcall functions. Firestore is loaded on first use. */

import { RollcallError } from "@rollcall/client";
import { signal } from "@preact/signals";
import { type FirebaseApp, initializeApp } from "firebase/app";
import {
  type Auth,
  browserLocalPersistence,
  connectAuthEmulator,
  indexedDBLocalPersistence,
  initializeAuth,
  onAuthStateChanged,
  type User,
} from "firebase/auth";
import type { Firestore } from "firebase/firestore";
import { connectFunctionsEmulator, type Functions, getFunctions } from "firebase/functions";

import { forgetUser, tab } from "../app/device.js";
import type { Store } from "../store/store.js";
import type { Deployment } from "./configuration.js";

const KEPT = "rollcall.client";

/** The Firebase objects of a host page. */
export interface HostFirebase {
  auth: Auth;
  functions: Functions;
  firestore: Firestore;
  /** The deployment's `ROLLCALL_PREFIX`. */
  prefix?: string;
}

export class Connection {
  readonly deployment: Deployment;
  readonly host: HostFirebase | undefined;
  readonly app: FirebaseApp;
  readonly auth: Auth;
  readonly functions: Functions;
  /** Undefined until it is known whether somebody is signed in, null where nobody is. */
  readonly user = signal<User | null | undefined>(undefined);
  /** The user's role, as their token says; undefined until it is known. */
  readonly role = signal<string | undefined>(undefined);
  #store: Promise<Store> | undefined;

  constructor(deployment: Deployment, host?: HostFirebase) {
    const { firebase, configuration, emulators } = deployment;
    this.deployment = deployment;
    this.host = host;
    if (host) {
      [this.app, this.auth, this.functions] = [host.functions.app, host.auth, host.functions];
    } else {
      this.app = initializeApp(firebase);
      // The resolver of pop-ups is loaded with them: it brings Google's scripts along.
      const persistence = [indexedDBLocalPersistence, browserLocalPersistence];
      this.auth = initializeAuth(this.app, { persistence });
      this.functions = getFunctions(this.app, configuration.region);
    }
    if (emulators) {
      const { auth, functions } = emulators;
      const url = `http://${auth.host}:${auth.port}`;
      connectAuthEmulator(this.auth, url, { disableWarnings: true });
      connectFunctionsEmulator(this.functions, functions.host, functions.port);
    }
    onAuthStateChanged(this.auth, (user) => void this.#welcome(user));
  }

  async #welcome(user: User | null): Promise<void> {
    const before = this.user.value;
    [this.role.value, this.user.value] = [undefined, user];
    if (before && before.uid !== user?.uid) forgetUser(before.uid);
    if (!user) return;
    try {
      const { claims } = await user.getIdTokenResult();
      if (this.user.value === user) this.role.value = String(claims.role ?? "user");
    } catch (error) {
      console.warn("the user's role was not read", error);
    }
  }

  /** Start App Check before the first request, if the project enforces it. */
  async attest(): Promise<void> {
    const { configuration, emulators } = this.deployment;
    if (!configuration.appCheckSiteKey || emulators) return;
    const { initializeAppCheck, ReCaptchaEnterpriseProvider } = await import("firebase/app-check");
    const provider = new ReCaptchaEnterpriseProvider(configuration.appCheckSiteKey);
    initializeAppCheck(this.app, { provider, isTokenAutoRefreshEnabled: true });
  }

  /** The store with Firestore and the client, loaded on first use. */
  store(): Promise<Store> {
    this.#store ??= import("../store/store.js").then(
      ({ Store }) => new Store(this),
      (cause: unknown) => {
        this.#store = undefined; // whoever asks next tries again
        throw new RollcallError("unavailable", "Firestore's code was not loaded", { cause });
      },
    );
    return this.#store;
  }

  /** Use the store, once it is loaded, until the function that is returned is called. */
  use(
    work: (store: Store, signal: AbortSignal) => void | Promise<void>,
    onError: (error: RollcallError) => void,
  ): () => void {
    const ending = new AbortController();
    const begin = (store: Store) => {
      if (!ending.signal.aborted && this.isSignedIn) return work(store, ending.signal);
      return undefined;
    };
    this.store().then(begin).catch((error: RollcallError) => ending.signal.aborted || onError(error));
    return () => ending.abort();
  }

  /** The name of one of Rollcall's own functions. */
  functionName(name: string): string {
    return this.prefix ? `${this.prefix}_${name}` : name;
  }

  /** Becomes false just before the views of a user who signs out are removed. */
  get isSignedIn(): boolean {
    return this.auth.currentUser !== null;
  }

  /** The id of the user who is signed in. */
  get uid(): string {
    const uid = this.auth.currentUser?.uid;
    if (!uid) throw new Error("nobody is signed in");
    return uid;
  }

  get prefix(): string {
    return this.deployment.configuration.prefix;
  }
}

/** The tab's client id, which survives a reload, so that pending tool calls stay this tab's. */
export function clientId(): string {
  const kept = tab.get(KEPT) ?? crypto.randomUUID();
  tab.set(KEPT, kept);
  return kept;
}
