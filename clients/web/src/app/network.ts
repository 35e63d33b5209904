/** Whether the device has a network, as far as the browser knows. */

import { signal } from "@preact/signals";

export const isOnline = signal(navigator.onLine);

window.addEventListener("online", () => (isOnline.value = true));
window.addEventListener("offline", () => (isOnline.value = false));
