/** A call of a tool: which one, how far it is, and what it answered. */

import type { ShownCall } from "@rollcall/client";

export interface ToolCardProps {
  call: ShownCall;
}

export function ToolCard({ call }: ToolCardProps) {
  return (
    <details class="tool-card">
      <summary>
        <bdi>{call.tool}</bdi>
      </summary>
      <pre dir="ltr">{JSON.stringify(call.arguments, null, 2)}</pre>
      {call.result !== undefined && <pre dir="auto">{call.result}</pre>}
    </details>
  );
}
