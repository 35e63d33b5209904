/** The user's pending approvals, live, for the inbox and the count in the title. */

import type { Approval, RollcallError } from "@rollcall/client";
import { computed, signal } from "@preact/signals";

import type { Connection } from "../firebase/connection.js";

/** The pending approvals of one user. */
export class PendingApprovals {
  readonly uid: string;
  /** Undefined while loading. */
  readonly approvals = signal<Approval[] | undefined>(undefined);
  readonly problem = signal<RollcallError | undefined>(undefined);
  /** The number that this user may decide. */
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

  /** Watch until all followers have stopped. */
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
    const onError = (error: RollcallError) => (this.problem.value = error);
    this.#stop = this.#connection.use(({ rollcall }, signal) => {
      const stop = rollcall.approvals.watch((approvals) => (this.approvals.value = approvals), { onError });
      signal.addEventListener("abort", stop);
    }, onError);
  }
}

const instances = new WeakMap<Connection, PendingApprovals>();

/** The shared instance for the signed-in user. */
export function pendingApprovals(connection: Connection): PendingApprovals {
  const found = instances.get(connection);
  if (found?.uid === connection.uid) return found;
  const made = new PendingApprovals(connection);
  instances.set(connection, made);
  return made;
}
