/** A clock, and the remaining time in words. */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { locale } from "../text/locale.js";

const SECOND = 1_000;
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** The current time, updated each second while a component uses the clock. */
export const now = signal(new Date());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

export function useClock(): void {
  useEffect(() => {
    now.value = new Date();
    if (!watchers++) timer = setInterval(() => (now.value = new Date()), SECOND);
    return () => {
      if (!--watchers) clearInterval(timer);
    };
  }, []);
}

/** "in 3 hours", "in 40 seconds"; changes only when the words do. */
export function timeLeft(until: Date): ReadonlySignal<string> {
  return computed(() => {
    const seconds = Math.max(0, Math.ceil((Number(until) - Number(now.value)) / SECOND));
    const [unit, size] = UNITS.find(([, each]) => seconds >= 2 * each) ?? (["second", 1] as const);
    const format = new Intl.RelativeTimeFormat(locale.value, { numeric: "auto" });
    return format.format(Math.floor(seconds / size), unit);
  });
}
