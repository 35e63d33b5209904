/** The panel beside the chat that shows a file, a source or an activity. */

import { signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";

import { Icon } from "../app/icon.js";
import { save } from "../app/output.js";
import { StyleRoot } from "../app/styles.js";
import { Code } from "../markdown/code.js";
import { Markdown } from "../markdown/markdown.js";
import { text } from "../text/locale.js";

/** The content types that are shown; others are downloaded. HTML is never opened. */
const SHOWN = /^(?:application\/pdf|image\/(?:png|jpeg|gif|webp|svg\+xml)|text\/(?:plain|markdown|csv)|application\/json)$/;
const MAX_TEXT = 400_000;

interface Open {
  title: string;
  content: File | ComponentChild;
  /** The page or element that shows it. */
  root: DocumentOrShadowRoot;
  /** The element that gets the focus back on close. */
  from: HTMLElement | null;
}

const open = signal<Open | undefined>(undefined);

export function isShown(contentType: string): boolean {
  return SHOWN.test(contentType);
}

/** A function that opens the panel of the page or element that the caller is in. */
export function useSidePanel(): (content: File | ComponentChild, title: string) => void {
  const root = useContext(StyleRoot);
  return (content, title) => (open.value = { title, content, root, from: focusedElement(document) });
}

/** The element with the focus, also inside shadow roots. */
function focusedElement({ activeElement: found }: DocumentOrShadowRoot): HTMLElement | null {
  return (found?.shadowRoot && focusedElement(found.shadowRoot)) ?? (found as HTMLElement | null);
}

/** The panel; on a narrow screen it covers the chat. */
export function SidePanel() {
  const box = useRef<HTMLElement>(null);
  const from = useRef<HTMLElement | null>(null);
  const root = useContext(StyleRoot);
  const shown = open.value?.root === root ? open.value : undefined;
  // Back only now that it is closed: until then, what it covers is hidden and takes no focus.
  useEffect(() => {
    (shown ? box : from).current?.focus();
    from.current = shown?.from ?? null;
  }, [shown]);
  // Content of one conversation or user must not show in the next.
  useEffect(() => () => void (open.peek()?.root === root && (open.value = undefined)), []);
  if (!shown) return null;
  const close = () => (open.value = undefined);
  return (
    <aside
      class="beside"
      ref={box}
      tabIndex={-1}
      aria-label={shown.title}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <header class="row spread">
        <h2>
          <bdi>{shown.title}</bdi>
        </h2>
        <div class="row">
          {shown.content instanceof File && (
            <button type="button" class="button small" onClick={() => save(shown.content as File)}>
              {text("files.download")}
            </button>
          )}
          <button type="button" class="icon-button" onClick={close}>
            <Icon name="close" />
            <span class="visually-hidden">{text("beside.close")}</span>
          </button>
        </div>
      </header>
      <div class="beside-content">
        {shown.content instanceof File ? <FileView file={shown.content} /> : shown.content}
      </div>
    </aside>
  );
}

function FileView({ file }: { file: File }) {
  const href = useSignal<string | undefined>(undefined);
  const words = useSignal<string | undefined>(undefined);
  const isText = /^text\/|json$/.test(file.type);
  useSignalEffect(() => {
    if (isText) {
      void file.text().then((content) => (words.value = content.slice(0, MAX_TEXT)));
      return undefined;
    }
    const url = URL.createObjectURL(file);
    href.value = url;
    return () => URL.revokeObjectURL(url);
  });
  if (isText) {
    if (words.value === undefined) return null;
    if (file.type === "text/markdown") return <Markdown text={words.value} isWhole />;
    return <Code pieces={[words.value]} title={file.name} />;
  }
  if (!href.value) return null;
  if (file.type === "application/pdf") return <iframe src={href.value} title={file.name} />;
  return <img src={href.value} alt={file.name} />;
}
