/** Where the user is in the app, as the address says after its `#`. */

import { signal } from "@preact/signals";

/** A view, and in the chat the thread. */
export interface Place {
  view: string;
  threadId?: string;
}

export const place = signal<Place>(read());

window.addEventListener("hashchange", () => (place.value = read()));

/** The address of a place, for a link. */
export function hrefOf({ view, threadId }: Place): string {
  return threadId ? `#/${view}/${encodeURIComponent(threadId)}` : `#/${view}`;
}

/** Go there. With `isSame`, it is where the user is already, by another address. */
export function go(to: Place, { isSame = false } = {}): void {
  if (isSame) history.replaceState(null, "", hrefOf(to));
  else history.pushState(null, "", hrefOf(to));
  place.value = to;
}

function read(): Place {
  const [view = "", threadId] = location.hash.replace(/^#\/?/, "").split("/");
  return { view: view || "chat", ...(threadId && { threadId: decoded(threadId) }) };
}

/** What is malformed names no thread, which the chat says of it. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
