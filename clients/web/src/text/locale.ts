/** The app's language, its texts, and formats that depend on it. */

import { computed, effect, signal } from "@preact/signals";

import { device } from "../app/device.js";
import en from "../../texts/en.json";
import he from "../../texts/he.json";

export type Locale = "en" | "he";
export type Key = keyof typeof en;

/** A text, or its forms by the plural category of `count`. */
type Entry = string | Partial<Record<Intl.LDMLPluralRule, string>>;

const KEPT = "rollcall.locale";
const FSI = "\u2068";
const PDI = "\u2069";

export const LOCALES: readonly Locale[] = ["en", "he"];
export const locale = signal<Locale>(firstLocale());
export const direction = computed(() => (locale.value === "he" ? "rtl" : "ltr"));

/** Follow the language on the page itself, and remember it. */
export function followLocale(): void {
  effect(() => {
    document.documentElement.lang = locale.value;
    document.documentElement.dir = direction.value;
    device.set(KEPT, locale.value);
  });
}

/** A text of the app in the user's language. */
export const text = textsOf<Key>({ en, he });

/**
 * A function for the texts of a part of the app in the user's language. Values for `{name}` are
 * isolated, so that their direction does not affect the words around them; numbers are formatted for
 * the language.
 */
export function textsOf<K extends string>(
  texts: Record<"en", Record<K, Entry>> & Record<Locale, Partial<Record<K, Entry>>>,
): (key: K, args?: Record<string, string | number>) => string {
  return (key, args = {}) => {
    const entry: Entry = texts[locale.value][key] ?? texts.en[key];
    const form = typeof entry === "string" ? entry : plural(entry, Number(args.count));
    return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = args[name];
      if (value === undefined) return whole;
      return typeof value === "number" ? number(value) : `${FSI}${value}${PDI}`;
    });
  };
}

function plural(forms: Partial<Record<Intl.LDMLPluralRule, string>>, count: number): string {
  return forms[new Intl.PluralRules(locale.value).select(count)] ?? forms.other ?? "";
}

export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(locale.value, options).format(value);
}

export function usd(value: number): string {
  const digits = value > 0 && value < 0.1 ? 4 : 2;
  return number(value, { style: "currency", currency: "USD", maximumFractionDigits: digits });
}

export function bytes(value: number): string {
  const [unit, size] =
    value >= 1_000_000
      ? ["megabyte", value / 1_000_000]
      : value >= 1_000
        ? ["kilobyte", value / 1_000]
        : ["byte", value];
  // In short, bytes have no plural.
  const unitDisplay = unit === "byte" ? "long" : "short";
  return number(size as number, { style: "unit", unit: unit as string, unitDisplay, maximumFractionDigits: 1 });
}

/**
 * The language as in the user's country, which has its own dates and times. Browsers have other tags too,
 * such as `en-US@posix`, that `Intl` refuses.
 */
const region = computed(() => {
  const ofCountry = new RegExp(`^${locale.value}-[A-Z]{2}$`);
  return navigator.languages.find((each) => ofCountry.test(each)) ?? locale.value;
});

/** The time for a moment of today, otherwise the day. */
export function shortTime(date: Date, now = new Date()): string {
  const isToday = date.toDateString() === now.toDateString();
  const isThisYear = date.getFullYear() === now.getFullYear();
  const options: Intl.DateTimeFormatOptions = isToday
    ? { timeStyle: "short" }
    : { day: "numeric", month: "short", ...(!isThisYear && { year: "numeric" }) };
  return new Intl.DateTimeFormat(region.value, options).format(date);
}

export function dateTime(date: Date): string {
  const options = { dateStyle: "medium", timeStyle: "short" } as const;
  return new Intl.DateTimeFormat(region.value, options).format(date);
}

/** The name of a language in itself. */
export function nameOf(each: Locale): string {
  return new Intl.DisplayNames([each], { type: "language" }).of(each) ?? each;
}

function firstLocale(): Locale {
  const kept = device.get(KEPT) ?? navigator.language;
  return kept.toLowerCase().startsWith("he") ? "he" : "en";
}
