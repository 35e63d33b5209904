/**
 * A Vega-Lite chart, as SVG. The module is loaded when a chart is first on the screen.
 *
 * A specification is data that nobody has vouched for: it loads nothing, links nowhere, makes no more
 * rows than it brings along, and has no formulas; those of Vega itself are interpreted.
 */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { parse, View, type Spec } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";

import { locale, number, text } from "../text/locale.js";
import { DataTable } from "./data_table.js";
import { titledRows, valuesOf, chartProblem } from "./chart_data.js";

const HEIGHT = 240;
const INKS = ["var(--ink)", "var(--ink-2)", "var(--line-color)", "var(--accent)"];
/** The app's accent in steps, then colours that mean nothing elsewhere in the app. */
const PALETTE = [
  "var(--accent)",
  "color-mix(in oklab, var(--accent) 45%, var(--ground))",
  "light-dark(#8a6a9e, #c4a9d6)",
  "light-dark(#b07a4f, #d9b08c)",
  "light-dark(#6b7a2f, #b5c27a)",
];

export interface ChartProps {
  chart: Record<string, unknown>;
  title?: string | undefined;
}

export function Chart({ chart, title }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const problem = useSignal(chartProblem(chart));
  const rows = valuesOf(chart);
  const name = title || (typeof chart.title === "string" ? chart.title : text("chart.title"));
  useEffect(() => {
    const element = box.current;
    if (!element || problem.value) return;
    let view: View | undefined;
    const draw = async () => {
      view?.finalize();
      const inline = Math.max(200, Math.floor(element.clientWidth));
      try {
        view = viewOf(chart, element, inline);
        await view.runAsync();
      } catch (error) {
        view?.finalize();
        problem.value = error instanceof Error ? error.message : String(error);
      }
    };
    void draw();
    let width = element.clientWidth;
    const resized = new ResizeObserver(() => {
      if (Math.abs(element.clientWidth - width) < 8) return;
      width = element.clientWidth;
      void draw();
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      view?.finalize();
    };
  }, [chart, locale.value]);
  return (
    <figure class="chart">
      <figcaption dir="auto">{name}</figcaption>
      {problem.value ? (
        <p class="quiet">{text("chart.not_drawn")}</p>
      ) : (
        <div class="chart-picture" dir="ltr" role="img" aria-label={describe(name, rows)}>
          <div ref={box} aria-hidden="true" />
        </div>
      )}
      {rows.length > 0 && (
        <details open={problem.value !== undefined}>
          <summary>{text("chart.as_table")}</summary>
          <DataTable rows={titledRows(chart)} title={name} />
        </details>
      )}
    </figure>
  );
}

function viewOf(chart: Record<string, unknown>, element: HTMLElement, width: number): View {
  const style = getComputedStyle(element);
  const [ink, quiet, line, accent] = INKS.map((each) => colour(element, style, each));
  const font = style.fontFamily;
  const axis = { labelColor: quiet, titleColor: quiet, gridColor: line, domainColor: line, tickColor: line };
  const config = {
    background: null,
    font,
    autosize: { type: "fit", contains: "padding" },
    view: { stroke: null },
    mark: { color: accent },
    range: { category: PALETTE.map((each) => colour(element, style, each)) },
    axisX: { labelAngle: 0, labelOverlap: "parity" },
    axis: { ...axis, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, titlePadding: 10 },
    legend: { labelColor: quiet, titleColor: quiet, labelFontSize: 12, orient: "bottom" },
    rule: { color: ink, strokeWidth: 1.5 },
    text: { color: ink },
    bar: { cornerRadiusEnd: 3 },
    title: { color: ink },
  };
  const { title: _, config: __, ...rest } = chart;
  const height = Math.min(Number(chart.height) || HEIGHT, 2 * HEIGHT);
  const spec = { ...rest, height, width, config } as unknown as TopLevelSpec;
  const vega: Spec = compile(spec, { logger: QUIET }).spec;
  const refused = () => Promise.reject(new Error("a chart loads nothing"));
  return new View(parse(vega, undefined, { ast: true }), {
    renderer: "svg",
    container: element,
    hover: false,
    expr: expressionInterpreter,
    loader: { load: refused, sanitize: refused, http: refused, file: refused },
  } as ConstructorParameters<typeof View>[1]);
}

/** A colour as the browser reckons it: `light-dark()` and mixes mean nothing to SVG attributes. */
function colour(element: HTMLElement, style: CSSStyleDeclaration, value: string): string {
  const before = element.style.color;
  element.style.color = value;
  const found = style.color;
  element.style.color = before;
  return found;
}

/** What the picture says, in a sentence: how many values of what, from where to where. */
function describe(name: string, rows: Record<string, unknown>[]): string {
  const field = Object.keys(rows[0] ?? {}).find((key) => typeof rows[0]?.[key] === "number");
  if (!field) return name;
  const values = rows.map((row) => row[field]).filter((each) => typeof each === "number");
  return text("chart.described", {
    name,
    count: values.length,
    least: number(Math.min(...values)),
    most: number(Math.max(...values)),
  });
}

const QUIET = {
  level: () => QUIET,
  error: () => QUIET,
  warn: () => QUIET,
  info: () => QUIET,
  debug: () => QUIET,
} as never;
