/** The texts of lessons, loaded with their views. */

import en from "../../texts/lesson/en.json";
import he from "../../texts/lesson/he.json";
import { number, textsOf } from "../text/locale.js";

export type LessonKey = keyof typeof en;

export const say = textsOf<LessonKey>({ en, he });

/** The text for a key with a value from the server; an unknown value is shown as it is. */
export function sayOf(key: string): string {
  return key in en ? say(key as LessonKey) : key.replace(/^.*\./, "").replaceAll("_", " ");
}

export function minutes(count: number): string {
  return number(count, { style: "unit", unit: "minute", unitDisplay: "short" });
}
