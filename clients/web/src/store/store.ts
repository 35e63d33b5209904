/** What the app reads from Firestore. Loaded after the first paint, since its SDK is large. */

import { Rollcall, RollcallError, type RunResult } from "@rollcall/client";
import {
  connectFirestoreEmulator,
  doc,
  type Firestore,
  getDoc,
  getFirestore,
  initializeFirestore,
  onSnapshot,
  type Timestamp,
} from "firebase/firestore";

import { clientId, type Connection } from "../firebase/connection.js";

/** A thread's document. */
export interface ThreadDocument {
  agent: string;
  title: string | null;
  updatedAt: Timestamp;
  /** The run that holds the thread's lease, or the last that held it. */
  lease?: { runId: string } | null;
  /** The run whose calls or approvals the thread waits for. */
  waiting?: { runId: string } | null;
}

/** A run's document. */
export interface RunDocument {
  turnId: string;
  status: "running" | "done" | "failed" | "cancelled";
  result?: RunResult;
  error?: { code?: string; message?: string; hint?: string };
}

export class Store {
  readonly db: Firestore;
  readonly rollcall: Rollcall;
  #start: string;

  constructor(connection: Connection) {
    const { app, auth, functions, prefix } = connection;
    const at = connection.deployment.emulators?.firestore;
    // The emulator sometimes answers nothing on a stream of listeners; on one poll after another it does.
    const settings = { experimentalForceLongPolling: true };
    this.db =
      connection.host?.firestore ?? (at ? initializeFirestore(app, settings) : getFirestore(app));
    if (at) connectFirestoreEmulator(this.db, at.host, at.port);
    this.#start = prefix && `${prefix}_`;
    const firestore = this.db;
    this.rollcall = new Rollcall({ functions, firestore, auth, clientId: clientId(), prefix });
  }

  /** One of the user's runs, of those that there are. */
  async run(threadId: string, runId: string): Promise<RunDocument | undefined> {
    const start = this.#start;
    const run = doc(this.db, `${start}threads`, threadId, `${start}runs`, runId);
    const found = (await getDoc(run)).data();
    if (!found) return undefined;
    const { turnId, status, result, error } = found;
    return { turnId, status, error, ...(result && { result: JSON.parse(result) }) };
  }

  /** The agent of a thread. */
  async agentOf(threadId: string): Promise<string> {
    try {
      const thread = await getDoc(doc(this.db, `${this.#start}threads`, threadId));
      if (thread.exists()) return thread.data().agent;
    } catch (error) {
      // The rules say of a thread that is not there what they say of another user's; an id that no
      // document can have is an invalid argument.
      const { code } = error as { code?: string };
      if (code !== "permission-denied" && code !== "invalid-argument") throw error;
    }
    throw new RollcallError("not-found", `there is no thread ${threadId}`);
  }

  /** Wait for the run that continues another one; undefined once aborted. */
  continuation(threadId: string, runId: string, signal: AbortSignal): Promise<string | undefined> {
    const start = this.#start;
    const run = doc(this.db, `${start}threads`, threadId, `${start}runs`, runId);
    return new Promise((resolve, reject) => {
      const stop = onSnapshot(
        run,
        (snapshot) => {
          const next = snapshot.data()?.continuedBy as string | undefined;
          if (next) [stop(), resolve(next)];
        },
        reject,
      );
      signal.addEventListener("abort", () => [stop(), resolve(undefined)]);
    });
  }

  /** Watch a thread: the listener gets it now and on changes, undefined if there is none. */
  watchThread(
    threadId: string,
    listener: (thread: ThreadDocument | undefined) => void,
    onError: (error: Error) => void,
  ): () => void {
    const thread = doc(this.db, `${this.#start}threads`, threadId);
    return onSnapshot(
      thread,
      (snapshot) => listener(snapshot.data() as ThreadDocument | undefined),
      onError,
    );
  }
}
