/** The card of a tool call: its name, status and result. */

import type { ShownCall } from "@rollcall/client";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";

import { Icon, type IconName } from "../app/icon.js";
import { Line } from "../markdown/prose.js";
import { number, text } from "../text/locale.js";
import { DisplayView, DisplayBoundary, displayOf } from "./displays.js";
import { Files } from "./files.js";
import { type CardStatus, errorOf, gist, resultOf, statusOf } from "./outcome.js";
import { toolName, toolOf } from "./tools.js";
import { Value, Values } from "./value.js";

export interface ToolCardProps {
  call: ShownCall;
  /** Whether nothing waits for a decision on it any more. */
  isLeft?: boolean;
}

const ICONS: Partial<Record<CardStatus, IconName>> = {
  done: "check",
  failed: "warn",
  refused: "warn",
  rejected: "close",
  expired: "close",
  unknown: "warn",
};

export function ToolCard({ call, isLeft = false }: ToolCardProps) {
  const isOpen = useSignal(false);
  const id = useId();
  const told = statusOf(call);
  const status = isLeft && isWaiting(told) ? "expired" : told;
  const { record, progress } = call;
  const Own = displayOf(call.tool);
  const error = errorOf(call);
  const isDone = status === "done";
  const icon = ICONS[status];
  const words = gist(call.arguments, toolOf(call.tool)?.jsonSchema);
  const shown = isDone && record?.display && <DisplayView display={record.display} />;
  return (
    <div
      class="tool-card"
      part="tool-card"
      data-status={status}
      role="group"
      aria-label={toolName(call.tool)}
    >
      <button
        type="button"
        class="tool-head"
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <span class="mark" aria-hidden="true">
          {icon ? <Icon name={icon} /> : <i class="spinner" data-still={isWaiting(status) || undefined} />}
        </span>
        <span class="tool-name">
          <Line>{toolName(call.tool)}</Line>
          {words && (
            <>
              <span class="visually-hidden">: </span>
              <Line class="gist quiet">{words}</Line>
            </>
          )}
        </span>
        <span class="tool-status">
          {!isDone && text(`card.${status}`)}
          {isDone && <span class="visually-hidden">{text("card.done")}</span>}
          {isDone && record && record.ms > 0 && <Line class="quiet">{duration(record.ms)}</Line>}
        </span>
      </button>
      {!record && call.result === undefined && progress && <Progress {...progress} />}
      {error && status !== "done" && (
        <p class="tool-error">
          <Line>{error}</Line>
        </p>
      )}
      {status === "unknown" && <p class="tool-error">{text("card.unknown.note")}</p>}
      {Own ? (
        <DisplayBoundary data={record ?? call.arguments}>
          <Own call={call}>{shown}</Own>
        </DisplayBoundary>
      ) : (
        shown
      )}
      {record?.files && record.files.length > 0 && <Files files={record.files} />}
      <div class="tool-details" id={id} hidden={!isOpen.value}>
        {isOpen.value && <Details call={call} />}
      </div>
    </div>
  );
}

function Details({ call }: { call: ShownCall }) {
  const args = call.arguments;
  const result = resultOf(call);
  const hasArguments = typeof args === "object" && args !== null && Object.keys(args).length > 0;
  return (
    <>
      <h4>{text("card.arguments")}</h4>
      {hasArguments ? <Values of={args} /> : <p class="quiet">{text("card.no_arguments")}</p>}
      {result !== undefined && result !== null && (
        <>
          <h4>{text("card.result")}</h4>
          <div class="tool-result">
            <Value value={result} />
          </div>
        </>
      )}
      {call.record && (
        <p class="quiet tool-foot">
          <code dir="ltr">{call.tool}</code>
          {call.record.allowedBy && <> · {text("card.allowed")}</>}
        </p>
      )}
    </>
  );
}

function Progress({ text: words, done, total }: { text: string; done?: number; total?: number }) {
  return (
    <div class="tool-progress">
      {total !== undefined && total > 0 && (
        <progress max={total} value={Math.min(done ?? 0, total)} aria-label={words} />
      )}
      <Line class="quiet">{words}</Line>
    </div>
  );
}

function isWaiting(status: CardStatus): boolean {
  return status === "waiting" || status === "client";
}

/** A duration in a suitable unit. */
function duration(ms: number): string {
  const unit = ms < 1_000 ? "millisecond" : "second";
  const value = ms < 1_000 ? Math.round(ms) : Math.round(ms / 100) / 10;
  return number(value, { style: "unit", unit, unitDisplay: "short" });
}
