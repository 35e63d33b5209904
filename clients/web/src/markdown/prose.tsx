/** Words of a text, in which what has an order of its own is isolated. */

import { useSignal } from "@preact/signals";

import { type Direction, directionOf, pieces } from "../text/direction.js";
import { prose } from "../text/exact.js";
import { direction } from "../text/locale.js";
import { ShowRest } from "./code.js";

/** A text that is read in the direction `around`. */
export function Words({ text, around }: { text: string; around: Direction }) {
  const found = pieces(prose(text), around);
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

/** A text as it is, of which only the beginning is shown until all of it is asked for. */
export function Plain({ children }: { children: string }) {
  const isOpen = useSignal(false);
  const rest = isOpen.value ? 0 : Math.max(0, children.length - SHOWN);
  const shown = prose(rest ? children.slice(0, SHOWN) : children);
  return (
    <div class="plain" dir={directionOf(shown)}>
      {shown}
      {rest > 0 && <ShowRest chars={rest} onClick={() => (isOpen.value = true)} />}
    </div>
  );
}
