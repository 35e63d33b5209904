/** The composer: text, attachments, send and stop. */

import type { RollcallError } from "@rollcall/client";
import type { MediaPart, TextPart } from "@rollcall/client/wire";
import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import { Icon } from "../app/icon.js";
import { announce, toast } from "../app/toast.js";
import type { Connection } from "../firebase/connection.js";
import { bytes, type Key, text } from "../text/locale.js";
import { problemOf, reasonOf } from "./problems.js";
import type { Turn } from "./turn.js";

/** The server's limits, checked before sending. */
const MESSAGE_CHARS = 32_000;
const MAX_FILES = 19;
const MAX_BYTES = 10_000_000;
const TYPES = [
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "application/pdf",
  "text/plain",
  "text/markdown",
  "text/csv",
  "application/json",
];
/** Types of files that browsers do not know. */
const BY_EXTENSION: Record<string, string> = { md: "text/markdown", csv: "text/csv" };
/** If no more characters than this are left, their number is shown. */
const LEFT_SHOWN = 1_000;

interface Attachment {
  id: string;
  name: string;
  /** Unknown of what was sent along before. */
  size?: number;
  /** From 0 to 1. */
  sent: number;
  part?: MediaPart;
  hasFailed?: boolean;
}

interface Props {
  connection: Connection;
  placeholder: string;
  isReady: boolean;
  /** Whether it is loading: a message sent meanwhile waits. */
  isLoading?: boolean;
  isBusy?: boolean;
  /** Whether the user was writing in another one, whose place it takes. */
  takesFocus?: boolean;
  /** A message that was refused and is shown no more: it is taken from here, to be sent again. */
  unsent?: Signal<Turn | undefined>;
  onSend: (message: (TextPart | MediaPart)[]) => void;
  onStop?: () => void;
}

export function Composer(props: Props) {
  const { connection, placeholder, isReady, isLoading, isBusy, takesFocus, unsent, onSend, onStop } = props;
  const words = useSignal("");
  const files = useSignal<Attachment[]>([]);
  const isDraggedOver = useSignal(false);
  /** Whether a sent message waits for the chat to load. */
  const isDue = useSignal(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const left = MESSAGE_CHARS - words.value.length;
  const isUploading = files.value.some(({ part, hasFailed }) => !part && !hasFailed);
  const parts = files.value.flatMap(({ part }) => (part ? [part] : []));
  const isWhole = left >= 0 && (words.value.trim() !== "" || parts.length > 0 || isUploading);
  const maySend = (isReady || isLoading) && !isBusy && isWhole;
  const mustWait = !isReady || isUploading;

  useEffect(() => {
    if (takesFocus) area.current?.focus();
  }, []);
  // As high as its text, up to the maximum of its style.
  useLayoutEffect(() => {
    const box = area.current;
    if (!box) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }, [words.value]);

  useSignalEffect(() => {
    const turn = unsent?.value;
    if (!turn) return;
    unsent.value = undefined;
    const again = turn.message.flatMap((part): Attachment[] =>
      part.type === "text" ? [] : [{ id: crypto.randomUUID(), name: part.name ?? "", sent: 1, part }],
    );
    [words.value, files.value] = [
      [turn.text, words.peek()].filter(Boolean).join("\n"),
      [...again, ...files.peek()],
    ];
    const { error } = turn.view.peek();
    toast(text("composer.returned", { reason: error ? problemOf(error).title : "" }));
  });

  const change = (id: string, fields: Partial<Attachment>) =>
    (files.value = files.value.map((each) => (each.id === id ? { ...each, ...fields } : each)));

  const attach = async (file: File) => {
    const refusal = refusalOf(file, files.value);
    if (refusal) {
      toast(text(refusal, { name: file.name, size: bytes(MAX_BYTES) }));
      return;
    }
    const id = crypto.randomUUID();
    files.value = [...files.value, { id, name: file.name, size: file.size, sent: 0 }];
    try {
      const { rollcall } = await connection.store();
      const part = await rollcall.attach(file, {
        contentType: typeOf(file),
        onProgress: (sent, all) => change(id, { sent: sent / all }),
      });
      change(id, { part, sent: 1 });
    } catch (error) {
      change(id, { hasFailed: true });
      isDue.value = false; // it would go without the file
      toast(text("composer.attach_failed", { name: file.name, reason: reasonOf(error as RollcallError) }));
    }
  };
  const attachAll = (list: Iterable<File>) => {
    for (const file of list) void attach(file);
  };

  const send = () => {
    isDue.value = Boolean(maySend && mustWait);
    if (isDue.value) announce(text("composer.due"));
    if (!maySend || mustWait) return;
    const said = words.value.trim();
    onSend([...(said ? [{ type: "text", text: said } as const] : []), ...parts]);
    [words.value, files.value] = ["", []];
    area.current?.focus();
  };
  useEffect(() => {
    if (isDue.value && !(maySend && mustWait)) send();
  }, [maySend, mustWait]);

  return (
    <form
      class="composer"
      data-dragged={isDraggedOver.value || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        isDraggedOver.value = true;
      }}
      onDragLeave={() => (isDraggedOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isDraggedOver.value = false;
        attachAll(event.dataTransfer?.files ?? []);
      }}
    >
      {files.value.length > 0 && (
        <ul class="attachments">
          {files.value.map((file) => (
            <li key={file.id} class="attachment" data-failed={file.hasFailed || undefined}>
              <Icon name="file" />
              <bdi>{file.name}</bdi>
              <span class="quiet">
                {file.hasFailed
                  ? text("composer.failed")
                  : file.part
                    ? file.size && bytes(file.size)
                    : text("composer.sending", { percent: Math.round(file.sent * 100) })}
              </span>
              <button
                type="button"
                class="icon-button small"
                onClick={() => (files.value = files.value.filter((each) => each !== file))}
              >
                <Icon name="close" />
                <span class="visually-hidden">{text("composer.remove", { name: file.name })}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="composer-box">
        <button
          type="button"
          class="icon-button"
          title={text("composer.attach.limits", { size: bytes(MAX_BYTES) })}
          aria-describedby="attach-limits"
          onClick={() => input.current?.click()}
        >
          <Icon name="clip" />
          <span class="visually-hidden">{text("composer.attach")}</span>
        </button>
        <input
          ref={input}
          hidden
          type="file"
          multiple
          accept={[...TYPES, ".md", ".csv"].join(",")}
          onChange={(event) => {
            attachAll(event.currentTarget.files ?? []);
            event.currentTarget.value = "";
          }}
        />
        <label class="grow">
          <span class="visually-hidden">{text("composer.message")}</span>
          <textarea
            ref={area}
            rows={1}
            dir={words.value ? "auto" : undefined}
            placeholder={placeholder}
            value={words.value}
            onInput={(event) => {
              [words.value, isDue.value] = [event.currentTarget.value, false]; // it is not done yet
            }}
            onPaste={(event) => attachAll(event.clipboardData?.files ?? [])}
            onKeyDown={(event) => {
              // With an input method, Enter confirms a word.
              if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              send();
            }}
          />
        </label>
        {isBusy ? (
          <button type="button" class="icon-button primary" onClick={() => [onStop?.(), area.current?.focus()]}>
            <Icon name="stop" />
            <span class="visually-hidden">{text("composer.stop")}</span>
          </button>
        ) : (
          <button class="icon-button primary" disabled={!maySend}>
            <Icon name="send" />
            <span class="visually-hidden">{text("composer.send")}</span>
          </button>
        )}
      </div>
      <p class="composer-note quiet" id="attach-limits">
        {isDue.value
          ? text("composer.due")
          : left < LEFT_SHOWN
            ? text("composer.left", { count: left })
            : text("composer.attach.limits", { size: bytes(MAX_BYTES) })}
      </p>
    </form>
  );
}

function typeOf(file: File): string {
  const extension = file.name.split(".").at(-1)?.toLowerCase() ?? "";
  return file.type || (BY_EXTENSION[extension] ?? "");
}

/** The reason why a file cannot be attached, before it is uploaded. */
function refusalOf(file: File, others: Attachment[]): Key | undefined {
  if (!TYPES.includes(typeOf(file))) return "composer.wrong_type";
  if (!file.size) return "composer.empty";
  if (others.length >= MAX_FILES) return "composer.too_many";
  const all = others.reduce((sum, { size = 0 }) => sum + size, file.size);
  return all > MAX_BYTES ? "composer.too_large" : undefined;
}
