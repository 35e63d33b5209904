/** Rows of data as a table. */

import { useSignal } from "@preact/signals";

import { directionOf } from "../text/direction.js";
import { dateTime, direction, number, text } from "../text/locale.js";
import { Line } from "../markdown/prose.js";
import { inWords } from "./tools.js";

/** How many rows are shown at first, so that the answer below is not pushed away. */
const FIRST_ROWS = 5;
const ROWS = 50;
const MAX_COLUMNS = 30;
const CELL_CHARS = 2_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

export interface DataTableProps {
  rows: Record<string, unknown>[];
  columns?: string[] | undefined;
  title?: string | undefined;
}

export function DataTable({ rows, columns, title }: DataTableProps) {
  const shown = useSignal(FIRST_ROWS);
  if (rows.length === 0) return <p class="quiet">{text("table.empty")}</p>;
  const names = (columns ?? [...new Set(rows.slice(0, ROWS).flatMap(Object.keys))]).slice(0, MAX_COLUMNS);
  const isNumeric = (name: string) => rows.some((row) => typeof row[name] === "number");
  const dir = directionOf(names.join(" ")) ?? direction.value;
  return (
    <div class="data-table">
      {title && <Line class="display-title">{title}</Line>}
      <div class="table" role="group" tabIndex={0} aria-label={title ?? text("table.title")} dir={dir}>
        <table>
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col" data-align={isNumeric(name) ? "right" : undefined}>
                  <Line>{heading(name)}</Line>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown.value).map((row, at) => (
              <tr key={at}>
                {names.map((name) => (
                  <td key={name} data-align={isNumeric(name) ? "right" : undefined}>
                    <Cell value={row[name]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown.value && (
        <button type="button" class="button small" onClick={() => (shown.value += ROWS)}>
          {text("table.more", { count: rows.length - shown.value })}
        </button>
      )}
    </div>
  );
}

/** A field's name as words: "senderName" is "Sender name". Any other text stays as it is. */
function heading(name: string): string {
  return /^[a-z]+([A-Z][a-z0-9]*)*$/.test(name) ? inWords(name) : name;
}

function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === "") return <span class="quiet">–</span>;
  if (typeof value === "number") return <bdi dir="ltr">{number(value, { maximumFractionDigits: 6 })}</bdi>;
  if (typeof value === "boolean") return <>{text(value ? "value.yes" : "value.no")}</>;
  if (typeof value === "string" && TIME.test(value)) return <>{dateTime(new Date(value))}</>;
  const words = typeof value === "string" ? value : JSON.stringify(value);
  return <Line>{words.length > CELL_CHARS ? `${words.slice(0, CELL_CHARS)}…` : words}</Line>;
}
