/** Files that a tool made, with buttons to open or download them. */

import type { FileRef } from "@rollcall/client/wire";
import { useSignal } from "@preact/signals";
import { useContext } from "preact/hooks";

import { Icon } from "../app/icon.js";
import { save } from "../app/output.js";
import { toast } from "../app/toast.js";
import { ConnectionContext } from "../firebase/connection_context.js";
import { Line } from "../markdown/prose.js";
import { bytes, text } from "../text/locale.js";
import { isShown, useSidePanel } from "./side_panel.js";

export function Files({ files }: { files: FileRef[] }) {
  return (
    <ul class="files" aria-label={text("files.title")}>
      {files.map((file) => (
        <FileRow key={file.fileId} file={file} />
      ))}
    </ul>
  );
}

function FileRow({ file }: { file: FileRef }) {
  const connection = useContext(ConnectionContext);
  const isBusy = useSignal(false);
  const openSidePanel = useSidePanel();
  const use = async (what: (content: File) => void) => {
    if (!connection || isBusy.value) return;
    isBusy.value = true;
    try {
      const { rollcall } = await connection.store();
      what(await rollcall.file(file.fileId));
    } catch {
      toast(text("files.failed", { name: file.name }));
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <li class="file">
      <Icon name="file" />
      <span class="grow">
        <bdi>{file.name}</bdi> <Line class="quiet">{bytes(file.bytes)}</Line>
      </span>
      {isShown(file.contentType) && (
        <button type="button" class="button small" disabled={isBusy.value} onClick={() => use((content) => openSidePanel(content, content.name))}>
          {text("files.open")}
          <span class="visually-hidden"> {file.name}</span>
        </button>
      )}
      <button type="button" class="button small" disabled={isBusy.value} onClick={() => use(save)}>
        {text("files.download")}
        <span class="visually-hidden"> {file.name}</span>
      </button>
    </li>
  );
}
