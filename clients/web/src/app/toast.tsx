/** Toasts, and announcements for screen readers. */

import { signal } from "@preact/signals";

import { text } from "../text/locale.js";
import { Icon } from "./icon.js";

const SHOWN_MS = 6_000;

/** The action of a toast, such as undo. */
interface Action {
  name: string;
  run: () => void;
}

interface Toast {
  id: number;
  words: string;
  action?: Action | undefined;
}

const toasts = signal<Toast[]>([]);
const spoken = signal("");
let newest = 0;

/**
 * Show and announce a toast: for a few seconds, or with an action until it is used or dismissed.
 * Returns a function that removes it.
 */
export function toast(words: string, action?: Action): () => void {
  const id = (newest += 1);
  toasts.value = [...toasts.value, { id, words, action }];
  if (!action) setTimeout(() => close(id), SHOWN_MS);
  announce(words);
  return () => close(id);
}

function close(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

/** Announce a text to screen readers, politely. */
export function announce(words: string): void {
  // Without a change, the same text would not be announced again.
  spoken.value = spoken.value === words ? `${words}\u00a0` : words;
}

/** The app's one live region. The log of a chat is none: it would read every word of an answer. */
export function Announcements() {
  return (
    <>
      <div class="visually-hidden" role="status" aria-live="polite">
        {spoken}
      </div>
      <div class="toasts">
        {toasts.value.map(({ id, words, action }) => (
          <div class="toast" key={id}>
            <p dir="auto">{words}</p>
            {action && (
              <span class="row">
                <button class="button small" onClick={() => [action.run(), close(id)]}>
                  {action.name}
                </button>
                <button class="icon-button small" onClick={() => close(id)}>
                  <Icon name="close" />
                  <span class="visually-hidden">{text("app.close")}</span>
                </button>
              </span>
            )}
          </div>
        ))}
      </div>
    </>
  );
}
