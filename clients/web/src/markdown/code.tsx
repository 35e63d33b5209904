/** A code block with a copy button. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { memo } from "preact/compat";

import { Icon } from "../app/icon.js";
import { copy } from "../app/output.js";
import { visibleParts } from "../text/visible.js";
import { text } from "../text/locale.js";

/** The most characters shown before the rest is requested. */
const SHOWN = 40_000;

export interface CodeProps {
  pieces: string[];
  language?: string;
  /** The block's title, if it has no language. */
  title?: string;
  /** Content in place of the pieces, such as the lines of a diff. */
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
            if (!(await copy(pieces.join("")))) return;
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

/** A separate element, so that the browser only lays out the growing one again. */
const Piece = memo(({ piece }: { piece: string }) => (
  <span class="piece">
    <ExactText>{piece}</ExactText>
  </span>
));

/** A text whose invisible characters are shown by their codes. */
export function ExactText({ children }: { children: string }) {
  return (
    <>
      {visibleParts(children).map(({ text, code }, at) =>
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
