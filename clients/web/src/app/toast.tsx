/** Short news at the edge of the screen, and what a screen reader is told. */

import { signal } from "@preact/signals";

const SHOWN_MS = 6_000;

interface Toast {
  id: number;
  text: string;
}

const toasts = signal<Toast[]>([]);
const spoken = signal("");
let newest = 0;

/** Show something for a few seconds. It is read out as well. */
export function toast(text: string): void {
  const id = (newest += 1);
  toasts.value = [...toasts.value, { id, text }];
  setTimeout(() => (toasts.value = toasts.value.filter((each) => each.id !== id)), SHOWN_MS);
  announce(text);
}

/** Have a screen reader say something once, politely. */
export function announce(text: string): void {
  // The same again would be no change, and not be read.
  spoken.value = spoken.value === text ? `${text}\u00a0` : text;
}

/** The app's one live region. The log of a chat is none: it would read every word of an answer. */
export function Announcements() {
  return (
    <>
      <div class="visually-hidden" role="status" aria-live="polite">
        {spoken}
      </div>
      <div class="toasts">
        {toasts.value.map(({ id, text }) => (
          <p class="toast" key={id} dir="auto">
            {text}
          </p>
        ))}
      </div>
    </>
  );
}
