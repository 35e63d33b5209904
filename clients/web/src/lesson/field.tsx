/** A form field with its name, a note, and the server's refusal of it. */

import type { RollcallError } from "@rollcall/client";
import { type ComponentChild, createContext } from "preact";
import { useContext, useId } from "preact/hooks";

import { say } from "./texts.js";

/** The server's refusal of the surrounding form, if any. */
export const Refusal = createContext<RollcallError | undefined>(undefined);

interface About {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

export interface FieldProps {
  name: string;
  /** The field's path in the server's refusals, such as `tasks` or `toolConfiguration.tools.0`. */
  at?: string | undefined;
  /** What is accepted, in the page's language; without it the server's message is shown. */
  accepts?: string | undefined;
  note?: string | undefined;
}

export function Field({ name, at, accepts, note, children }: FieldProps & { children: (about: About) => ComponentChild }) {
  const id = useId();
  const refused = useRefusal(at, accepts);
  const isNoted = refused !== undefined || note !== undefined;
  return (
    <div class="field lesson-field">
      <label for={id}>{name}</label>
      {children({
        id,
        "aria-describedby": isNoted ? `${id}-note` : undefined,
        "aria-invalid": refused ? true : undefined,
      })}
      {isNoted && (
        <p id={`${id}-note`} class={refused ? "field-problem" : "quiet"} dir="auto">
          {refused ?? note}
        </p>
      )}
    </div>
  );
}

interface SelectProps extends FieldProps {
  value: string;
  options: { id: string; name: string }[];
  onChange: (id: string) => void;
}

/** A choice out of named options. */
export function Select({ value, options, onChange, ...field }: SelectProps) {
  return (
    <Field accepts={say("accepts.listed")} {...field}>
      {(about) => (
        <select {...about} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {options.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface TextProps extends FieldProps {
  value: string;
  maxChars: number;
  /** How many lines there are; without it one, which takes no more characters than it may have. */
  rows?: number;
  dir?: "ltr";
  placeholder?: string;
  onInput: (value: string) => void;
}

/** A text field, with a character count if it has several lines. */
export function TextField({ value, maxChars, rows, dir, placeholder, onInput, ...field }: TextProps) {
  const length = { count: value.length, most: maxChars };
  const told = rows ? { note: say("editor.chars", length), accepts: say("accepts.text", length) } : {};
  const input = {
    value,
    placeholder,
    // An empty field has the direction of its placeholder.
    dir: dir ?? (value || !placeholder ? ("auto" as const) : undefined),
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  };
  return (
    <Field {...told} {...field}>
      {(about) =>
        rows ? <textarea {...about} {...input} rows={rows} /> : <input {...about} {...input} maxLength={maxChars} />
      }
    </Field>
  );
}

/** The message for a field that the server refuses, in whole or in part. */
export function useRefusal(at: string | undefined, accepts?: string): string | undefined {
  const refusal = useContext(Refusal);
  const field = refusal?.field?.replace(/^arguments\./, "");
  if (!refusal || at === undefined || (field !== at && !field?.startsWith(`${at}.`))) return undefined;
  return accepts ?? [refusal.message, refusal.hint].filter(Boolean).join("; ");
}
