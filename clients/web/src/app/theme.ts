/** The app's theme: the system's, or the user's choice. */

import { effect, signal } from "@preact/signals";

import { device } from "./device.js";

export type Theme = "system" | "light" | "dark" | "contrast";

const KEPT = "rollcall.theme";

export const THEMES: readonly Theme[] = ["system", "light", "dark", "contrast"];
export const theme = signal<Theme>(firstTheme());

/** Follow the theme on the page itself, and remember it. */
export function followTheme(): void {
  effect(() => {
    const { dataset } = document.documentElement;
    if (theme.value === "system") delete dataset.theme;
    else dataset.theme = theme.value;
    device.set(KEPT, theme.value);
  });
}

function firstTheme(): Theme {
  const kept = device.get(KEPT);
  return THEMES.find((each) => each === kept) ?? "system";
}
