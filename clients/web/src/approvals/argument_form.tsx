/** A form for a tool's arguments, made from its JSON schema. */

import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";

import { ActionForm } from "../app/action_form.js";
import { inWords } from "../cards/tools.js";
import { Line } from "../markdown/prose.js";
import { directionOf } from "../text/direction.js";
import { text } from "../text/locale.js";

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
  properties?: Record<string, Schema>;
  required?: string[];
  title?: string;
  description?: string;
}

interface Props {
  schema: Schema;
  value: Record<string, unknown>;
  /** What the user's language calls fields and their values. */
  labels?: Record<string, string> | undefined;
  /** Whether submitting is disabled for now. */
  isBusy?: boolean;
  onSave: (value: Record<string, unknown>) => void;
  onCancel: () => void;
}

const LONG = 60;

export function ArgumentForm({ schema, value, labels = {}, isBusy = false, onSave, onCancel }: Props) {
  // What is filled in or needed comes first; a circuit has thirty fields.
  const first = new Set([...(schema.required ?? []), ...Object.keys(value)]);
  const others = Object.keys(schema.properties ?? {}).filter((name) => !first.has(name));
  const names = [...first, ...others];
  const fieldOf = (name: string) => plain(schema.properties?.[name] ?? {}, schema);
  const written = useSignal<Record<string, string>>(
    Object.fromEntries(names.map((name) => [name, toText(value[name])])),
  );
  const wrong = useSignal<Record<string, string>>({});

  const save = (form: HTMLFormElement) => {
    const found: Record<string, unknown> = {};
    const problems: Record<string, string> = {};
    for (const name of names) {
      const words = written.value[name] ?? "";
      if (words === toText(value[name])) {
        if (name in value) found[name] = value[name]; // as it was, to the last character
        continue;
      }
      try {
        const read = toValue(words, fieldOf(name), value[name]);
        if (read !== undefined) found[name] = read;
        else if (schema.required?.includes(name)) problems[name] = text("form.required");
      } catch {
        problems[name] = text("form.wrong"); // said at the field; nothing is sent
      }
    }
    wrong.value = problems;
    const [worst] = Object.keys(problems);
    if (worst === undefined) return onSave(found);
    form.querySelector<HTMLElement>(`[name="${CSS.escape(worst)}"]`)?.focus();
  };
  const field = (name: string) => (
    <Field
      key={name}
      name={name}
      schema={fieldOf(name)}
      labels={labels}
      isRequired={schema.required?.includes(name) ?? false}
      words={written.value[name] ?? ""}
      problem={wrong.value[name]}
      onInput={(words) => (written.value = { ...written.value, [name]: words })}
    />
  );

  return (
    <ActionForm class="approval-form" action={text("form.approve")} {...{ isBusy, onSubmit: save, onCancel }}>
      {[...first].map(field)}
      {others.length > 0 && (
        <details open={others.some((name) => wrong.value[name])}>
          <summary>{text("form.others", { count: others.length })}</summary>
          <div class="fields">{others.map(field)}</div>
        </details>
      )}
      <p class="quiet">{text("form.note")}</p>
    </ActionForm>
  );
}

function Field(props: {
  name: string;
  schema: Schema;
  labels: Record<string, string>;
  isRequired: boolean;
  words: string;
  problem: string | undefined;
  onInput: (words: string) => void;
}) {
  const { name, schema, labels, isRequired, words, problem, onInput } = props;
  const id = useId();
  const note = problem ?? schema.description;
  const kind = kindOf(schema);
  const isNumber = kind === "number" || kind === "integer";
  const options = schema.enum ?? (kind === "boolean" ? [true, false] : undefined);
  const lines = words.split("\n").length;
  const about = {
    id,
    name,
    value: words,
    "aria-invalid": problem !== undefined,
    "aria-describedby": `${id}-note`,
    "aria-required": isRequired,
    onInput: (event: { currentTarget: { value: string } }) => onInput(event.currentTarget.value),
  };
  const dir = isNumber ? "ltr" : (directionOf(words) ?? "auto");
  return (
    <div class="field">
      <label for={id}>
        <bdi>{labels[name] ?? schema.title ?? inWords(name)}</bdi>
        {labels[name] && <code dir="ltr" class="quiet"> {name}</code>}
        {isRequired && <span class="quiet"> · {text("form.is_required")}</span>}
      </label>
      {options ? (
        <select {...about}>
          <option value="">{text("form.nothing")}</option>
          {options.map((each) => (
            <option key={String(each)} value={String(each)}>
              {labelOf(each, labels)}
            </option>
          ))}
        </select>
      ) : words.length > LONG || lines > 1 || kind === "json" ? (
        <textarea {...about} dir={dir} rows={Math.min(12, lines + 1)} />
      ) : (
        <input {...about} dir={dir} inputMode={isNumber ? "decimal" : undefined} autoComplete="off" />
      )}
      <p id={`${id}-note`} class={problem ? "field-problem" : "quiet"}>
        {note && <Line>{note}</Line>}
      </p>
    </div>
  );
}

function labelOf(option: unknown, labels: Record<string, string>): string {
  if (typeof option === "boolean") return text(option ? "value.yes" : "value.no");
  return labels[String(option)] ?? String(option);
}

type Kind = "string" | "number" | "integer" | "boolean" | "json";

/** A schema without its references and its "or nothing". */
function plain(field: Schema, root: Schema): Schema {
  const { $ref, anyOf = [], ...rest } = field;
  const target = $ref && root.$defs?.[$ref.replace("#/$defs/", "")];
  if (target) return { ...plain(target, root), ...rest };
  const [first, ...others] = anyOf.filter(({ type }) => type !== "null");
  return first && !others.length ? { ...plain(first, root), ...rest } : field;
}

function kindOf({ type, enum: options }: Schema): Kind {
  const [first = "json"] = [type ?? (options ? "string" : "json")].flat().filter((each) => each !== "null");
  return ["string", "number", "integer", "boolean"].includes(first) ? (first as Kind) : "json";
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** The input's value; undefined if it is empty. */
function toValue(words: string, schema: Schema, before: unknown): unknown {
  const option = schema.enum?.find((each) => String(each) === words);
  if (option !== undefined) return option;
  const kind = kindOf(schema);
  if (kind === "string" || (kind === "json" && typeof before === "string")) return words || undefined;
  if (!words.trim()) return undefined;
  const value: unknown = JSON.parse(words);
  const isNumber = typeof value === "number" && (kind !== "integer" || Number.isInteger(value));
  const isWrong = kind === "boolean" ? typeof value !== "boolean" : kind !== "json" && !isNumber;
  if (isWrong) throw new TypeError(kind);
  return value;
}
