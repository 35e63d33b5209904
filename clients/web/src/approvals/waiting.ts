/** All that waits for a decision, live, for the inbox and for the count in the title. */

import type { Approval, RollcallError } from "@rollcall/client";
import { computed, signal } from "@preact/signals";

import type { Connection } from "../firebase/connection.js";

/** What waits for one user of a connection. */
export class Waiting {
  readonly uid: string;
  /** Undefined until it is known. */
  readonly approvals = signal<Approval[] | undefined>(undefined);
  readonly problem = signal<RollcallError | undefined>(undefined);
  /** How many this user may decide. */
  readonly count = computed(
    () => this.approvals.value?.filter(({ mayDecide, decision }) => mayDecide && !decision).length ?? 0,
  );
  readonly #connection: Connection;
  #followers = 0;
  #stop = () => {};

  constructor(connection: Connection) {
    this.uid = connection.uid;
    this.#connection = connection;
  }

  /** Follow it as long as anybody does. */
  follow(): () => void {
    this.#followers += 1;
    if (this.#followers === 1) this.#begin();
    return () => {
      this.#followers -= 1;
      if (this.#followers) return;
      this.#stop();
      [this.approvals.value, this.problem.value] = [undefined, undefined];
    };
  }

  #begin(): void {
    let isWanted = true;
    this.#stop = () => (isWanted = false);
    const onError = (error: RollcallError) => (this.problem.value = error);
    void this.#connection.store().then(({ rollcall }) => {
      if (!isWanted || !this.#connection.isSignedIn) return;
      this.#stop = rollcall.approvals.watch((approvals) => (this.approvals.value = approvals), { onError });
    });
  }
}

const known = new WeakMap<Connection, Waiting>();

/** What waits for the user who is signed in now: one for all who ask. */
export function waitingFor(connection: Connection): Waiting {
  const found = known.get(connection);
  if (found?.uid === connection.uid) return found;
  const made = new Waiting(connection);
  known.set(connection, made);
  return made;
}
