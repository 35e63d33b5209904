/** The words of a block: paragraphs, each in its own direction, with formulas left to right in them. */

import type { ComponentChild } from "preact";

import { type Direction, directionOf, segments } from "../text/direction.js";
import { cleanProse } from "../text/visible.js";
import { direction } from "../text/locale.js";

const GAP = /\{\{(\d{1,2})\}\}/g;
/** A gap while the text is cut into pieces: a name, as a formula has it. */
const NAMED = /_gap(\d{1,2})_/;
const LRI = "\u2066";
const PDI = "\u2069";

interface Props {
  children: string;
  /** What stands in a gap, by its number. */
  gap?: (number: string) => ComponentChild;
}

export function Paragraphs({ children, gap }: Props) {
  const named = gap ? children.replace(GAP, "_gap$1_") : children;
  return (
    <>
      {named.split(/\n+/).map((line, at) => {
        const dir = directionOf(line) ?? direction.value;
        return (
          <p key={at} dir={dir}>
            {segments(cleanProse(line), dir).map(({ text, isolated }, at) => {
              const content = gap ? withGaps(text, gap) : text;
              return isolated ? (
                <bdi key={at} dir={isolated}>
                  {content}
                </bdi>
              ) : (
                content
              );
            })}
          </p>
        );
      })}
    </>
  );
}

function withGaps(text: string, gap: (number: string) => ComponentChild): ComponentChild[] {
  return text.split(NAMED).map((part, at) => (at % 2 ? gap(part) : part));
}

/** The direction of a block, by all of its words. */
export function directionOfAll(texts: string[]): Direction {
  return directionOf(texts.join(" ").replace(GAP, " ")) ?? direction.value;
}

/** A text where only characters can stand, as in a menu: what has its own order is isolated by them. */
export function isolatedText(text: string): string {
  const around = directionOf(text) ?? direction.value;
  return segments(cleanProse(text), around)
    .map(({ text, isolated }) => (isolated ? `${LRI}${text}${PDI}` : text))
    .join("");
}
