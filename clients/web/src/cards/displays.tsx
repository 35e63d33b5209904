/**
 * How results are shown: by what kind of display a tool returns, or by the tool.
 *
 * A card of your own is a component here: for a tool under its id in `TOOLS`, for a new kind of
 * display in `DISPLAYS`. It is given data that nobody has vouched for, and makes elements of it.
 */

import type { ShownCall } from "@rollcall/client";
import type { Display } from "@rollcall/client/wire";
import { Component, type ComponentChildren, type ComponentType } from "preact";

import { later } from "../app/later.js";
import { Code } from "../markdown/code.js";
import { Markdown } from "../markdown/markdown.js";
import { Diff } from "./diff.js";
import { DataTable } from "./data_table.js";
import type { ChartProps } from "./chart.js";
import { MadeActivity } from "./made_activity.js";
import { Value } from "./value.js";

const Chart = later<ChartProps>(() => import("./chart.js").then(({ Chart }) => Chart));

export const DISPLAYS: Record<Display["type"], ComponentType<{ display: Display }>> = {
  text: TextDisplay,
  confirmation: TextDisplay,
  table: ({ display }) => <DataTable {...display} rows={display.rows ?? []} />,
  chart: ({ display }) => <Chart chart={display.chart ?? {}} title={display.title} />,
  code: ({ display }) => <Code pieces={[display.text ?? ""]} title={display.title} />,
  diff: ({ display }) => <Diff text={display.text ?? ""} title={display.title} />,
};

/** A tool's own card has the display of its result as `children`, to show or to leave out. */
type OwnCard = ComponentType<{ call: ShownCall; children: ComponentChildren }>;

export const TOOLS: Partial<Record<string, OwnCard>> = {
  generate_interactive_activity: MadeActivity,
};

/** A tool's own card; names are what a model wrote, of which `toString` is none. */
export function ownCard(tool: string): OwnCard | undefined {
  return Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
}

/** Shows data by its values where the component that draws it has failed. */
export class OrValues extends Component<{ data: unknown; children: ComponentChildren }, { hasFailed: boolean }> {
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
      <OrValues data={display}>
        <View display={display} />
      </OrValues>
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
