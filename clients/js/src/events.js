/** The events of a run: those of AG-UI 1.0, and two that this package adds. */

/** @import { Outcome, RunResult } from "../types/wire.js" */

/**
 * What every event may carry. `n` is its number in its run, from 0 without gaps; the first of a run
 * that was over when it was asked for again `isRetold`.
 * @typedef {{ metadata?: { n?: number, isRetold?: boolean } }} Numbered
 */

/**
 * @typedef {Numbered & { type: "RUN_STARTED", threadId: string, runId: string, protocolVersion?: string }} RunStarted
 * @typedef {Numbered & { type: "RUN_FINISHED", threadId: string, runId: string, result: RunResult, outcome: Outcome, usage?: any[] }} RunFinished
 * @typedef {Numbered & { type: "RUN_ERROR", message: string, code: string }} RunFailed
 * @typedef {Numbered & { type: "STEP_STARTED" | "STEP_FINISHED", stepName: string }} StepEvent
 * @typedef {Numbered & { type: "TEXT_MESSAGE_START", messageId: string, role: "assistant" }} TextStart
 * @typedef {Numbered & { type: "TEXT_MESSAGE_CONTENT", messageId: string, delta: string }} TextContent
 * @typedef {Numbered & { type: "TEXT_MESSAGE_END", messageId: string }} TextEnd
 * @typedef {Numbered & { type: "TOOL_CALL_START", toolCallId: string, toolCallName: string, parentMessageId?: string }} CallStart
 * @typedef {Numbered & { type: "TOOL_CALL_ARGS", toolCallId: string, delta: string }} CallArguments
 * @typedef {Numbered & { type: "TOOL_CALL_END", toolCallId: string }} CallEnd
 * @typedef {Numbered & { type: "TOOL_CALL_RESULT", toolCallId: string, messageId: string, content: string, role?: "tool" }} CallResult
 */

/**
 * How far a tool is; the same `messageId` again replaces what was told before. A client's own
 * tools tell it by the `progress` of their call.
 * @typedef {Numbered & {
 *   type: "ACTIVITY_SNAPSHOT",
 *   messageId: string,
 *   activityType: string,
 *   content: { toolCallId: string, text: string, done?: number, total?: number },
 *   replace: boolean,
 * }} Activity
 */

/**
 * A process died while it worked on the run, and another took it up where it was saved last:
 * what was told of the run from event number `n` on is void, and is told anew.
 * @typedef {Numbered & { type: "CUSTOM", name: "rollcall.rewound", value: { runId: string, n: number } }} Rewound
 */

/**
 * @typedef {RunStarted | RunFinished | RunFailed | StepEvent | TextStart | TextContent | TextEnd
 *   | CallStart | CallArguments | CallEnd | CallResult | Activity | Rewound} AgentEvent
 */

/**
 * @param {{ toolCallId: string, text: string, done?: number, total?: number }} content
 * @returns {Activity}
 */
export function progress(content) {
  const messageId = `progress-${content.toolCallId}`;
  return { type: "ACTIVITY_SNAPSHOT", messageId, activityType: "PROGRESS", content, replace: true };
}

/**
 * @param {string} runId
 * @param {number} n
 * @returns {Rewound}
 */
export function rewound(runId, n) {
  return { type: "CUSTOM", name: "rollcall.rewound", value: { runId, n } };
}
