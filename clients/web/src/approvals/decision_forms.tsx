/** The forms of a decision. Nothing is preselected. */

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";

import { ActionForm } from "../app/action_form.js";
import { text } from "../text/locale.js";

const REASON_CHARS = 500;

export function RejectForm(props: {
  isBusy: boolean;
  onReject: (reason: string) => void;
  onCancel: () => void;
}) {
  const { isBusy, onCancel } = props;
  const reason = useSignal("");
  const id = useId();
  const onSubmit = () => props.onReject(reason.value.trim());
  return (
    <ActionForm class="approval-form" action={text("approval.reject")} isDanger {...{ isBusy, onSubmit, onCancel }}>
      <label for={id}>{text("approval.reason")}</label>
      <textarea
        id={id}
        rows={2}
        dir="auto"
        maxLength={REASON_CHARS}
        value={reason.value}
        onInput={(event) => (reason.value = event.currentTarget.value)}
      />
    </ActionForm>
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
  return (
    <ActionForm
      class="approval-form"
      action={text("approval.remember.approve")}
      isBusy={chosen.value === undefined}
      onSubmit={() => props.onApprove(chosen.value as string)}
      onCancel={props.onCancel}
    >
      <fieldset>
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
    </ActionForm>
  );
}
