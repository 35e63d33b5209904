/** The events of a run: those of AG-UI 1.0, and two that this package adds. */
/** @import { Outcome, RunResult } from "../types/wire.js" */
/**
 * The metadata of an event. `n` is its number in the run, from 0 without gaps. `isRetold` is on the
 * first event of a run that had ended before the request.
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
 * The progress of a tool. An event with the same `messageId` replaces the one before. A client's own
 * tools report it with `progress` of their call's context.
 * @typedef {Numbered & {
 *   type: "ACTIVITY_SNAPSHOT",
 *   messageId: string,
 *   activityType: string,
 *   content: { toolCallId: string, text: string, done?: number, total?: number },
 *   replace: boolean,
 * }} Activity
 */
/**
 * Another process took over the run after a crash, from where it was saved last: the events from
 * number `n` on are void, and new ones follow.
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
export function progressEvent(content: {
    toolCallId: string;
    text: string;
    done?: number;
    total?: number;
}): Activity;
/**
 * @param {string} runId
 * @param {number} n
 * @returns {Rewound}
 */
export function rewindEvent(runId: string, n: number): Rewound;
/**
 * The metadata of an event. `n` is its number in the run, from 0 without gaps. `isRetold` is on the
 * first event of a run that had ended before the request.
 */
export type Numbered = {
    metadata?: {
        n?: number;
        isRetold?: boolean;
    };
};
export type RunStarted = Numbered & {
    type: "RUN_STARTED";
    threadId: string;
    runId: string;
    protocolVersion?: string;
};
export type RunFinished = Numbered & {
    type: "RUN_FINISHED";
    threadId: string;
    runId: string;
    result: RunResult;
    outcome: Outcome;
    usage?: any[];
};
export type RunFailed = Numbered & {
    type: "RUN_ERROR";
    message: string;
    code: string;
};
export type StepEvent = Numbered & {
    type: "STEP_STARTED" | "STEP_FINISHED";
    stepName: string;
};
export type TextStart = Numbered & {
    type: "TEXT_MESSAGE_START";
    messageId: string;
    role: "assistant";
};
export type TextContent = Numbered & {
    type: "TEXT_MESSAGE_CONTENT";
    messageId: string;
    delta: string;
};
export type TextEnd = Numbered & {
    type: "TEXT_MESSAGE_END";
    messageId: string;
};
export type CallStart = Numbered & {
    type: "TOOL_CALL_START";
    toolCallId: string;
    toolCallName: string;
    parentMessageId?: string;
};
export type CallArguments = Numbered & {
    type: "TOOL_CALL_ARGS";
    toolCallId: string;
    delta: string;
};
export type CallEnd = Numbered & {
    type: "TOOL_CALL_END";
    toolCallId: string;
};
export type CallResult = Numbered & {
    type: "TOOL_CALL_RESULT";
    toolCallId: string;
    messageId: string;
    content: string;
    role?: "tool";
};
/**
 * The progress of a tool. An event with the same `messageId` replaces the one before. A client's own
 * tools report it with `progress` of their call's context.
 */
export type Activity = Numbered & {
    type: "ACTIVITY_SNAPSHOT";
    messageId: string;
    activityType: string;
    content: {
        toolCallId: string;
        text: string;
        done?: number;
        total?: number;
    };
    replace: boolean;
};
/**
 * Another process took over the run after a crash, from where it was saved last: the events from
 * number `n` on are void, and new ones follow.
 */
export type Rewound = Numbered & {
    type: "CUSTOM";
    name: "rollcall.rewound";
    value: {
        runId: string;
        n: number;
    };
};
export type AgentEvent = RunStarted | RunFinished | RunFailed | StepEvent | TextStart | TextContent | TextEnd | CallStart | CallArguments | CallEnd | CallResult | Activity | Rewound;
import type { RunResult } from "../types/wire.js";
import type { Outcome } from "../types/wire.js";
