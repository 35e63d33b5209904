/**
 * How results are shown: by what kind of display a tool returns, or by the tool.
 *
 * A card of your own is a component here: for a tool under its id in `TOOLS`, for a new kind of
 * display in `DISPLAYS`. Its data is untrusted; it renders elements, never HTML.
 */

import type { ShownCall } from "@rollcall/client";
import type { Display } from "@rollcall/client/wire";
import { Component, type ComponentChildren, type ComponentType } from "preact";

import { lazy } from "../app/lazy.js";
import { Code } from "../markdown/code.js";
import { Markdown } from "../markdown/markdown.js";
import { Diff } from "./diff.js";
import { DataTable } from "./data_table.js";
import type { ChartProps } from "./chart.js";
import { ActivityCard } from "./activity_card.js";
import { Value } from "./value.js";

const Chart = lazy<ChartProps>(() => import("./chart.js").then(({ Chart }) => Chart));

export const DISPLAYS: Record<Display["type"], ComponentType<{ display: Display }>> = {
  text: TextDisplay,
  confirmation: TextDisplay,
  table: ({ display }) => <DataTable {...display} rows={display.rows ?? []} />,
  chart: ({ display }) => <Chart chart={display.chart ?? {}} title={display.title} />,
  code: ({ display }) => <Code pieces={[display.text ?? ""]} title={display.title} />,
  diff: ({ display }) => <Diff text={display.text ?? ""} title={display.title} />,
};

/** A tool's own card. Its `children` are the display of the result. */
type ToolDisplay = ComponentType<{ call: ShownCall; children: ComponentChildren }>;

export const TOOLS: Partial<Record<string, ToolDisplay>> = {
  generate_interactive_activity: ActivityCard,
};

/** The card of a tool, if it has one. Own keys only: a model may write `toString`. */
export function displayOf(tool: string): ToolDisplay | undefined {
  return Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
}

/** An error boundary that shows the plain values of a display whose component failed. */
export class DisplayBoundary extends Component<{ data: unknown; children: ComponentChildren }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static override getDerivedStateFromError = () => ({ hasFailed: true });

  override componentDidCatch(error: unknown): void {
    console.warn("a card could not be drawn, and is shown as its data", error);
  }

  render() {
    return this.state.hasFailed ? <Value value={this.props.data} /> : this.props.children;
  }
}

/** A display of a kind that is known; of another, its text and rows. */
export function DisplayView({ display }: { display: Display }) {
  const View = Object.hasOwn(DISPLAYS, display.type) ? DISPLAYS[display.type] : TextDisplay;
  return (
    <div class="display" data-type={display.type}>
      <DisplayBoundary data={display}>
        <View display={display} />
      </DisplayBoundary>
    </div>
  );
}

function TextDisplay({ display }: { display: Display }) {
  return (
    <>
      {display.title && (
        <p class="display-title" dir="auto">
          {display.title}
        </p>
      )}
      {display.text && <Markdown text={display.text} isWhole />}
      {display.rows && display.rows.length !== 0 && <DataTable rows={display.rows} columns={display.columns} />}
    </>
  );
}
