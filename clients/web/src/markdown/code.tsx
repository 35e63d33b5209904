/** Code as it is, with a button that copies it. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { memo } from "preact/compat";

import { Icon } from "../app/icon.js";
import { exact } from "../text/exact.js";
import { text } from "../text/locale.js";

/** More is shown when it is asked for, in characters. */
const SHOWN = 40_000;

export interface CodeProps {
  pieces: string[];
  language?: string;
  /** What the block is called, where it has no language. */
  title?: string;
  /** What is shown in place of the pieces, such as the lines of a diff. */
  children?: ComponentChildren;
}

export function Code({ pieces, language, title, children }: CodeProps) {
  const isCopied = useSignal(false);
  const isOpen = useSignal(false);
  let length = 0;
  const shown = pieces.filter((piece) => isOpen.value || (length += piece.length) <= SHOWN);
  const rest = pieces.slice(shown.length).reduce((sum, piece) => sum + piece.length, 0);
  const name = title || language || text("code.title");
  return (
    <figure class="code" dir="ltr">
      <figcaption>
        <bdi>{name}</bdi>
        <button
          type="button"
          class="button bare small"
          onClick={async () => {
            await navigator.clipboard.writeText(pieces.join(""));
            isCopied.value = true;
            setTimeout(() => (isCopied.value = false), 2_000);
          }}
        >
          <Icon name={isCopied.value ? "check" : "copy"} />
          {text(isCopied.value ? "code.copied" : "code.copy")}
        </button>
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={name}>
        <code>{children ?? shown.map((piece, at) => <Piece key={at} piece={piece} />)}</code>
      </pre>
      {!children && rest > 0 && <ShowRest chars={rest} onClick={() => (isOpen.value = true)} />}
    </figure>
  );
}

export function ShowRest({ chars, onClick }: { chars: number; onClick: () => void }) {
  return (
    <button type="button" class="button small" onClick={onClick}>
      {text("text.show_rest", { count: chars })}
    </button>
  );
}

/** A block by itself, so that the browser lays out again only the one that grows. */
const Piece = memo(({ piece }: { piece: string }) => (
  <span class="piece">
    <Exactly>{piece}</Exactly>
  </span>
));

/** A text in which every character is seen: controls and what turns its order around are named. */
export function Exactly({ children }: { children: string }) {
  return (
    <>
      {exact(children).map(({ text, code }, at) =>
        code ? (
          <span key={at} class="unseen">
            {code}
          </span>
        ) : (
          text
        ),
      )}
    </>
  );
}
