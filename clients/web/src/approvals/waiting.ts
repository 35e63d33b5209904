/** All that waits for a decision, live, for the inbox and for the count in the title. */

import type { Approval, RollcallError } from "@rollcall/client";
import { computed, signal } from "@preact/signals";

import type { Connection } from "../firebase/connection.js";

/** Undefined until it is known. */
export const waiting = signal<Approval[] | undefined>(undefined);
export const waitingProblem = signal<RollcallError | undefined>(undefined);
/** How many this user may decide. */
export const waitingCount = computed(
  () => waiting.value?.filter(({ mayDecide, decision }) => mayDecide && !decision).length ?? 0,
);

let followers = 0;
let stop = () => {};

/** Follow them as long as anybody does. */
export function followWaiting(connection: Connection): () => void {
  followers += 1;
  if (followers === 1) {
    let isWanted = true;
    stop = () => (isWanted = false);
    const onError = (error: RollcallError) => (waitingProblem.value = error);
    void connection.store().then(({ rollcall }) => {
      if (!isWanted) return;
      stop = rollcall.approvals.watch((approvals) => (waiting.value = approvals), { onError });
    });
  }
  return () => {
    followers -= 1;
    if (followers) return;
    stop();
    [waiting.value, waitingProblem.value] = [undefined, undefined];
  };
}
