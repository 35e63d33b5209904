/** Arguments and results as names and values, with invisible characters made visible. */

import { useSignal } from "@preact/signals";

import { ExactText, ShowRest } from "../markdown/code.js";
import { directionOf } from "../text/direction.js";
import { text } from "../text/locale.js";

const MAX_CHARS = 1_200;
const MAX_ENTRIES = 40;
const MAX_DEPTH = 6;

/** An object's names and values, exactly. `isWhole` leaves nothing out. */
export function Values({ of, isWhole = false }: { of: Record<string, unknown>; isWhole?: boolean }) {
  const entries = Object.entries(of);
  const shown = isWhole ? entries : entries.slice(0, MAX_ENTRIES);
  return (
    <dl class="values">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt dir="ltr">
            <ExactText>{name}</ExactText>
          </dt>
          <dd>
            <Value value={value} isWhole={isWhole} depth={1} />
          </dd>
        </div>
      ))}
      {shown.length < entries.length && (
        <div class="quiet">{text("value.more", { count: entries.length - shown.length })}</div>
      )}
    </dl>
  );
}

export function Value(props: { value: unknown; isWhole?: boolean; depth?: number }) {
  const { value, isWhole = false, depth = 0 } = props;
  if (value === null || value === undefined) return <span class="quiet">{text("value.none")}</span>;
  if (typeof value !== "object" && typeof value !== "string") {
    return <bdi dir="ltr" class="exact">{String(value)}</bdi>;
  }
  if (typeof value === "string") return <Exact value={value} isWhole={isWhole} />;
  const isSimple = Array.isArray(value)
    ? value.length === 0 || value.every((each) => typeof each !== "object" || each === null)
    : Object.keys(value).length === 0;
  if (isSimple || (depth >= MAX_DEPTH && !isWhole)) {
    return <Exact value={JSON.stringify(value)} isWhole={isWhole} isCode />;
  }
  if (depth >= 4 * MAX_DEPTH) return <Exact value={JSON.stringify(value)} isWhole isCode />;
  if (!Array.isArray(value)) return <NestedValues of={value} isWhole={isWhole} depth={depth} />;
  const shown = isWhole ? value : value.slice(0, MAX_ENTRIES);
  return (
    <ol class="values-list" start={0}>
      {shown.map((each, at) => (
        <li key={at}>
          <Value value={each} isWhole={isWhole} depth={depth + 1} />
        </li>
      ))}
      {shown.length < value.length && (
        <li class="quiet">{text("value.more", { count: value.length - shown.length })}</li>
      )}
    </ol>
  );
}

function NestedValues({ of, isWhole, depth }: { of: object; isWhole: boolean; depth: number }) {
  return (
    <dl class="values">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt dir="ltr">
            <ExactText>{name}</ExactText>
          </dt>
          <dd>
            <Value value={value} isWhole={isWhole} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A text with invisible characters made visible; spaces and line breaks are kept. */
function Exact({ value, isWhole, isCode }: { value: string; isWhole: boolean; isCode?: boolean }) {
  const isOpen = useSignal(false);
  const rest = isWhole || isOpen.value ? 0 : Math.max(0, value.length - MAX_CHARS);
  if (!value) return <span class="quiet">{text("value.empty")}</span>;
  return (
    <span class="exact" dir={isCode ? "ltr" : (directionOf(value) ?? "ltr")}>
      <ExactText>{rest ? value.slice(0, MAX_CHARS) : value}</ExactText>
      {rest > 0 && <ShowRest chars={rest} onClick={() => (isOpen.value = true)} />}
    </span>
  );
}
