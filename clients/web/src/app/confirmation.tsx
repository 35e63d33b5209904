/** A confirmation dialog for actions that cannot be undone. */

import { useLayoutEffect, useRef } from "preact/hooks";

import { text } from "../text/locale.js";

interface Props {
  title: string;
  body: string;
  action: string;
  onConfirm: () => void;
  onClose: () => void;
}

export function Confirmation({ title, body, action, onConfirm, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      class="confirmation"
      ref={dialog}
      aria-labelledby="confirmation-title"
      onClose={onClose}
    >
      <h2 id="confirmation-title">{title}</h2>
      <p>{body}</p>
      <div class="row end">
        <button class="button" onClick={() => dialog.current?.close()}>
          {text("app.cancel")}
        </button>
        <button
          class="button danger"
          onClick={() => {
            onConfirm();
            dialog.current?.close();
          }}
        >
          {action}
        </button>
      </div>
    </dialog>
  );
}
