/** Validation and data of a chart's specification. */

const MAX_CHARS = 300_000;
const MAX_ROWS = 5_000;

/**
 * What a chart is not made of: generators, maps, views for each value, transforms that make more rows
 * than there were, formulas of its own, and anything from elsewhere.
 */
const REFUSED = new Set([
  "url",
  "href",
  "sequence",
  "graticule",
  "sphere",
  "impute",
  "density",
  "loess",
  "regression",
  "quantile",
  "lookup",
  "projection",
  "params",
  "signal",
  "usermeta",
  "step",
  "steps",
  "maxbins",
  "fold",
  "flatten",
  "repeat",
  "facet",
  "row",
  "column",
  "calculate",
  "filter",
  "expr",
  "labelExpr",
  "test",
  "tickCount",
]);
const MARKS = new Set(["bar", "line", "area", "point", "circle", "square", "tick", "rule", "text", "rect", "arc", "trail", "boxplot", "errorbar", "errorband"]);

/** The reason why a chart is not drawn, or undefined. */
export function chartProblem(chart: Record<string, unknown>): string | undefined {
  if (JSON.stringify(chart).length > MAX_CHARS) return "it is too large";
  if (valuesOf(chart).length > MAX_ROWS) return "it has too many rows";
  return refusedIn(chart);
}

function refusedIn(value: unknown, name = "", depth = 0): string | undefined {
  if (depth > 24) return "it is nested too deeply";
  if (typeof value !== "object" || value === null) {
    return name === "mark" && !MARKS.has(String(value)) ? `its mark is ${String(value)}` : undefined;
  }
  for (const [key, each] of Object.entries(value)) {
    // Rows are data: their fields may be called anything.
    if (key === "values" || key === "datasets") continue;
    if (!Array.isArray(value) && REFUSED.has(key)) return `it has ${key}`;
    const isType = name === "mark" && key === "type";
    if (isType && !MARKS.has(String(each))) return `its mark is ${String(each)}`;
    if (key === "mark" || typeof each === "object") {
      const found = refusedIn(each, Array.isArray(value) ? name : key, depth + 1);
      if (found) return found;
    }
  }
  return undefined;
}

/** The rows of all its layers. */
export function valuesOf(chart: Record<string, unknown>): Record<string, unknown>[] {
  const own = (chart.data as { values?: unknown } | undefined)?.values;
  if (Array.isArray(own)) {
    return own.map((row) => (typeof row === "object" && row !== null ? row : { value: row }));
  }
  const parts = [chart.layer, chart.hconcat, chart.vconcat, chart.concat].find(Array.isArray) ?? [];
  return (parts as Record<string, unknown>[]).flatMap(valuesOf);
}

/** The rows of a chart as a table has them: a field is called as the chart calls it. */
export function titledRows(chart: Record<string, unknown>): Record<string, unknown>[] {
  const titles = new Map(encodings(chart).map(({ field, title }) => [field, title]));
  return valuesOf(chart).map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [titles.get(name) ?? name, value])),
  );
}

function encodings({ encoding, layer }: Record<string, unknown>): { field: string; title: string }[] {
  const layers = Array.isArray(layer) ? (layer as Record<string, unknown>[]) : [];
  const own = Object.values((encoding ?? {}) as Record<string, unknown>).flat() as Record<string, unknown>[];
  const titled = own.filter((each) => typeof each?.field === "string" && typeof each.title === "string");
  return [...(titled as { field: string; title: string }[]), ...layers.flatMap(encodings)];
}
