/** Where the user is in the app, as the address says after its `#`. */

import { signal } from "@preact/signals";

/** A view, and what it shows: in the chat the thread. */
export interface Place {
  view: string;
  id?: string;
}

export const place = signal<Place>(read());

window.addEventListener("hashchange", () => (place.value = read()));

/** The address of a place, for a link. */
export function hrefOf({ view, id }: Place): string {
  return id ? `#/${view}/${encodeURIComponent(id)}` : `#/${view}`;
}

/** Go there. With `isSame`, it is where the user is already, by another address. */
export function go(to: Place, { isSame = false } = {}): void {
  if (isSame) history.replaceState(null, "", hrefOf(to));
  else history.pushState(null, "", hrefOf(to));
  place.value = to;
}

function read(): Place {
  const [view = "", id] = location.hash.replace(/^#\/?/, "").split("/");
  return { view: view || "chat", ...(id && { id: decoded(id) }) };
}

/** What is malformed names nothing that there is, which the view says of it. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
