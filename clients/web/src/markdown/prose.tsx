/** Plain text, in which parts with their own direction are isolated. */

import { useSignal } from "@preact/signals";

import { type Direction, directionOf, segments } from "../text/direction.js";
import { cleanProse } from "../text/visible.js";
import { direction } from "../text/locale.js";
import { ShowRest } from "./code.js";

/** The segments of a text in surroundings with the direction `around`. */
export function Words({ text, around }: { text: string; around: Direction }) {
  const found = segments(cleanProse(text), around);
  return (
    <>
      {found.map((piece, at) =>
        piece.isolated ? (
          <bdi key={at} dir={piece.isolated}>
            {piece.text}
          </bdi>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

/** A line or paragraph of text that is no Markdown, in its own direction. */
export function Line({ children, class: name }: { children: string; class?: string }) {
  const dir = directionOf(children) ?? direction.value;
  return (
    <span class={name ? `line ${name}` : "line"} dir={dir}>
      <Words text={children} around={dir} />
    </span>
  );
}

const SHOWN = 4_000;

/** A long text without Markdown, collapsed to its beginning. */
export function Plain({ children }: { children: string }) {
  const isOpen = useSignal(false);
  const rest = isOpen.value ? 0 : Math.max(0, children.length - SHOWN);
  const shown = cleanProse(rest ? children.slice(0, SHOWN) : children);
  return (
    <div class="plain" dir={directionOf(shown)}>
      {shown}
      {rest > 0 && <ShowRest chars={rest} onClick={() => (isOpen.value = true)} />}
    </div>
  );
}
