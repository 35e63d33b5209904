/** A unified diff. */

import { useSignal } from "@preact/signals";

import { Code, ExactText } from "../markdown/code.js";
import { text } from "../text/locale.js";

const LINES = 400;
const KINDS = { "+": "come", "-": "go" } as const;

/** Removed and added lines have a sign, a colour, and words for screen readers. */
export function Diff({ text: all, title }: { text: string; title?: string | undefined }) {
  const isOpen = useSignal(false);
  const lines = all.replace(/\n$/, "").split("\n");
  const shown = isOpen.value ? lines : lines.slice(0, LINES);
  return (
    <>
      <Code pieces={[all]} title={title || text("diff.title")}>
        {shown.map((line, at) => {
          const kind = KINDS[line[0] as "+" | "-"];
          return (
            <span key={at} class="diff-line" data-kind={kind}>
              {kind && <span class="visually-hidden">{text(`diff.${kind}`)}</span>}
              <span class="sign" aria-hidden="true">
                {kind ? line[0] : " "}
              </span>
              <bdi>
                <ExactText>{kind || line.startsWith(" ") ? line.slice(1) : line}</ExactText>
              </bdi>
            </span>
          );
        })}
      </Code>
      {shown.length < lines.length && (
        <button type="button" class="button small" onClick={() => (isOpen.value = true)}>
          {text("diff.more", { count: lines.length - shown.length })}
        </button>
      )}
    </>
  );
}
