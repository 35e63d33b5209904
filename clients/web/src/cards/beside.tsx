/** A file or source that is open beside the chat. */

import { signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { Icon } from "../app/icon.js";
import { Code } from "../markdown/code.js";
import { Markdown } from "../markdown/markdown.js";
import { text } from "../text/locale.js";

/** What can be looked at here; anything else is downloaded. HTML is never opened. */
const SHOWN = /^(?:application\/pdf|image\/(?:png|jpeg|gif|webp|svg\+xml)|text\/(?:plain|markdown|csv)|application\/json)$/;
const MAX_TEXT = 400_000;

interface Open {
  title: string;
  content: File | ComponentChild;
  /** What had the focus, which has it again when this is closed. */
  from: Element | null;
}

const open = signal<Open | undefined>(undefined);

export function isShown(contentType: string): boolean {
  return SHOWN.test(contentType);
}

export function openBeside(content: File): void;
export function openBeside(content: ComponentChild, title: string): void;
export function openBeside(content: File | ComponentChild, title = (content as File).name): void {
  open.value = { title, content, from: focused(document) };
}

/** What has the focus, inside of elements as well. */
function focused({ activeElement: found }: DocumentOrShadowRoot): Element | null {
  return (found?.shadowRoot && focused(found.shadowRoot)) ?? found;
}

/** Save a file on the user's device. */
export function save(file: File): void {
  const href = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = href;
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** The place beside the chat; on a narrow screen it lies over it. */
export function Beside() {
  const box = useRef<HTMLElement>(null);
  const shown = open.value;
  useEffect(() => {
    if (shown) box.current?.focus();
  }, [shown]);
  // What one conversation or user has opened, the next does not see.
  useEffect(() => () => (open.value = undefined), []);
  if (!shown) return null;
  const close = () => {
    open.value = undefined;
    if (shown.from instanceof HTMLElement) shown.from.focus();
  };
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
