/** Rows of data as a table. */

import { useSignal } from "@preact/signals";

import { directionOf } from "../text/direction.js";
import { direction, number, text } from "../text/locale.js";
import { Line } from "../markdown/prose.js";

const ROWS = 50;
const MOST_COLUMNS = 30;
const CELL_CHARS = 2_000;

export interface DataTableProps {
  rows: Record<string, unknown>[];
  columns?: string[] | undefined;
  title?: string | undefined;
}

export function DataTable({ rows, columns, title }: DataTableProps) {
  const shown = useSignal(ROWS);
  const names = (columns ?? [...new Set(rows.slice(0, ROWS).flatMap(Object.keys))]).slice(0, MOST_COLUMNS);
  const isNumeric = (name: string) => rows.some((row) => typeof row[name] === "number");
  const dir = directionOf(names.join(" ")) ?? direction.value;
  return (
    <div class="data-table">
      <div class="table" role="group" tabIndex={0} aria-label={title ?? text("table.title")} dir={dir}>
        <table>
          {title && (
            <caption>
              <Line>{title}</Line>
            </caption>
          )}
          <thead>
            <tr>
              {names.map((name) => (
                <th key={name} scope="col" data-align={isNumeric(name) ? "right" : undefined}>
                  <Line>{name}</Line>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown.value).map((row, at) => (
              <tr key={at}>
                {names.map((name) => (
                  <td key={name} data-align={typeof row[name] === "number" ? "right" : undefined}>
                    <Cell value={row[name]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown.value && (
        <button type="button" class="button small" onClick={() => (shown.value += 10 * ROWS)}>
          {text("table.more", { count: rows.length - shown.value })}
        </button>
      )}
    </div>
  );
}

function Cell({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === "") return <span class="quiet">–</span>;
  if (typeof value === "number") return <bdi dir="ltr">{number(value, { maximumFractionDigits: 6 })}</bdi>;
  if (typeof value === "boolean") return <>{text(value ? "value.yes" : "value.no")}</>;
  const words = typeof value === "string" ? value : JSON.stringify(value);
  return <Line>{words.length > CELL_CHARS ? `${words.slice(0, CELL_CHARS)}…` : words}</Line>;
}
