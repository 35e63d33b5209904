/** Forms for the reason of a rejection, and for patterns to remember. Nothing is preselected. */

import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";

import { text } from "../text/locale.js";

const REASON_CHARS = 500;

export function RejectForm(props: {
  isBusy: boolean;
  onReject: (reason: string) => void;
  onCancel: () => void;
}) {
  const reason = useSignal("");
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      class="approval-form"
      onSubmit={(event) => {
        event.preventDefault();
        props.onReject(reason.value.trim());
      }}
      onKeyDown={(event) => event.key === "Escape" && props.onCancel()}
    >
      <label for={id}>{text("approval.reason")}</label>
      <textarea
        id={id}
        rows={2}
        dir="auto"
        maxLength={REASON_CHARS}
        value={reason.value}
        ref={field}
        onInput={(event) => (reason.value = event.currentTarget.value)}
      />
      <div class="row">
        <button class="button danger" disabled={props.isBusy}>
          {text("approval.reject")}
        </button>
        <button type="button" class="button" onClick={props.onCancel}>
          {text("app.cancel")}
        </button>
      </div>
    </form>
  );
}

/** The patterns that the server offers, narrowest first. */
export function RememberForm(props: {
  patterns: string[];
  onApprove: (pattern: string) => void;
  onCancel: () => void;
}) {
  const chosen = useSignal<string | undefined>(undefined);
  const id = useId();
  const list = useRef<HTMLFieldSetElement>(null);
  useEffect(() => list.current?.querySelector("input")?.focus(), []);
  return (
    <form
      class="approval-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen.value !== undefined) props.onApprove(chosen.value);
      }}
      onKeyDown={(event) => event.key === "Escape" && props.onCancel()}
    >
      <fieldset ref={list}>
        <legend>{text("approval.remember.title")}</legend>
        {props.patterns.map((pattern) => (
          <label key={pattern} class="pattern">
            <input
              type="radio"
              name={id}
              checked={chosen.value === pattern}
              onChange={() => (chosen.value = pattern)}
            />
            <code dir="ltr">{pattern}</code>
          </label>
        ))}
      </fieldset>
      <div class="row">
        <button class="button primary" disabled={chosen.value === undefined}>
          {text("approval.remember.approve")}
        </button>
        <button type="button" class="button" onClick={props.onCancel}>
          {text("app.cancel")}
        </button>
      </div>
    </form>
  );
}
