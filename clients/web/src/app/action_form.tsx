/** A form in the midst of a view, that is sent or left. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import { text } from "../text/locale.js";

interface Props {
  class: string;
  action: string;
  isDanger?: boolean;
  isBusy?: boolean;
  children: ComponentChildren;
  onSubmit: (form: HTMLFormElement) => unknown;
  onCancel: () => void;
}

/** A form with its action and a way back. Its first field gets the focus. */
export function ActionForm(props: Props) {
  const { action, isDanger, isBusy = false, children, onSubmit, onCancel } = props;
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus(), []);
  return (
    <form
      class={props.class}
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(event.currentTarget);
      }}
      onKeyDown={(event) => event.key === "Escape" && onCancel()}
    >
      {children}
      <div class="row">
        <button class={`button ${isDanger ? "danger" : "primary"}`} disabled={isBusy}>
          {action}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          {text("app.cancel")}
        </button>
      </div>
    </form>
  );
}
