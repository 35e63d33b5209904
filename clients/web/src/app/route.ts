/** The route: the view that the address names after its `#`. */

import { signal } from "@preact/signals";

/** A view, and the id of what it shows, such as a thread. */
export interface Route {
  view: string;
  id?: string;
}

export const route = signal<Route>(read());

window.addEventListener("hashchange", () => {
  const to = read();
  if (hrefOf(to) !== hrefOf(route.value)) route.value = to; // "#/" is "#/chat"
});

/** The address of a route, for a link. */
export function hrefOf({ view, id }: Route): string {
  return id ? `#/${view}/${encodeURIComponent(id)}` : `#/${view}`;
}

/** Change the route, which is a new object even for the same address. With `isSame`, replace the address of the current view. */
export function navigate(to: Route, { isSame = false } = {}): void {
  if (isSame) history.replaceState(null, "", hrefOf(to));
  else history.pushState(null, "", hrefOf(to));
  route.value = to;
}

function read(): Route {
  const [view = "", id] = location.hash.replace(/^#\/?/, "").split("/");
  return { view: view || "chat", ...(id && { id: decode(id) }) };
}

/** A malformed id stays as it is: the view reports that there is no such thing. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
