/** A field of a form with its name, a note, and, where the server refuses it, what is accepted. */

import type { RollcallError } from "@rollcall/client";
import { type ComponentChild, createContext } from "preact";
import { useContext, useId } from "preact/hooks";

import { say } from "./texts.js";

/** What the server refuses of the form around, if anything. */
export const Refusal = createContext<RollcallError | undefined>(undefined);

interface About {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

export interface FieldProps {
  name: string;
  /** Where the server's refusals place it, such as `tasks` or `toolConfiguration.tools.0`. */
  at?: string | undefined;
  /** What is accepted, in the page's language; without it a refusal is in the server's own words. */
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

/** One of some things that have names. */
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

/** A text, whose length is told where it may have several lines. */
export function TextField({ value, maxChars, rows, dir, placeholder, onInput, ...field }: TextProps) {
  const length = { count: value.length, most: maxChars };
  const told = rows ? { note: say("editor.chars", length), accepts: say("accepts.text", length) } : {};
  const input = {
    value,
    placeholder,
    // What is empty keeps the direction of its placeholder.
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

/** What is said of a field of which the server refuses a part or all. */
export function useRefusal(at: string | undefined, accepts?: string): string | undefined {
  const refusal = useContext(Refusal);
  const field = refusal?.field?.replace(/^arguments\./, "");
  if (!refusal || at === undefined || (field !== at && !field?.startsWith(`${at}.`))) return undefined;
  return accepts ?? [refusal.message, refusal.hint].filter(Boolean).join("; ");
}
