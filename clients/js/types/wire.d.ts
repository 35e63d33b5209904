// Made of functions/rollcall/core/wire.py by `make format`; do not edit.

/** How a tool call ended. */
export type CallStatus = "done" | "failed" | "refused" | "waiting" | "client" | "rejected" | "expired" | "unknown";

/** The data of `cancel_run`. */
export interface CancelRequest {
  threadId: string;
  runId: string;
}

/** Data of a capability's own function. */
export interface CapabilityCall {
  arguments?: Record<string, any>;
  context?: Record<string, any>;
  callKey?: string;
  locale?: "en" | "he";
}

/** A source of a statement. `n` is its number in the answer, as in "[2]". */
export interface Citation {
  n: number;
  type: "message" | "code" | "document";
  title: string;
  quote?: string;
  conversationId?: string;
  messageId?: string;
  timestamp?: string;
  code?: string;
  edition?: string;
  article?: string;
  table?: string;
  documentId?: string;
  page?: number;
  section?: string;
  url?: string;
}

/** The result of a client's tool. */
export interface ClientToolResult {
  toolCallId: string;
  content?: any;
  error?: string;
}

/**
 * A person's answer to an approval, as the payload of a `resume` entry.
 *
 * `remember` is one of the patterns that the interrupt offered (`metadata.remember`): calls that
 * it matches need no further approval in this thread.
 */
export interface Decision {
  approved: boolean;
  reason?: string;
  editedArguments?: Record<string, any>;
  remember?: string;
}

/**
 * How a result is shown: text, a table, a Vega-Lite chart, a confirmation.
 *
 * "code" is a text in which every character counts; in a "diff" each line begins with a space
 * (unchanged), "-" (removed) or "+" (added).
 */
export interface Display {
  type: "text" | "table" | "chart" | "confirmation" | "code" | "diff";
  title?: string;
  text?: string;
  columns?: string[];
  rows?: Record<string, any>[];
  chart?: Record<string, any>;
}

/** A file that a tool made. Its owner reads it with `get_file` by its id. */
export interface FileRef {
  fileId: string;
  name: string;
  contentType: string;
  bytes: number;
}

/** An approval that a run waits for, in AG-UI's form. `id` is the approval's. */
export interface Interrupt {
  id: string;
  reason: "approval";
  message: string;
  toolCallId: string;
  responseSchema: Record<string, any>;
  expiresAt: string;
  metadata: Record<string, any>;
}

/** The data of `list_capabilities`. `after` is the `next` of the previous page. */
export interface ListRequest {
  locale?: "en" | "he";
  after?: string;
  limit?: number;
}

/**
 * An image or a document inside a message: a small one as base64 text in `data` with its
 * `media_type`, or the `file_id` of one of the user's uploads.
 */
export interface MediaPart {
  type: "image" | "document";
  mediaType?: string;
  data?: string;
  fileId?: string;
  name?: string;
}

/**
 * Tokens and cost of one model in a run. `cost_usd` is set only if the price is known,
 * `estimated` if a count from the provider was missing or impossible.
 */
export interface ModelUsage {
  provider: string;
  model: string;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  costUsd?: number;
  estimated?: boolean;
}

/** How a run ended. */
export interface Outcome {
  type: "success" | "interrupt" | "cancelled";
  interrupts?: Interrupt[];
  pendingToolCallIds?: string[];
}

/**
 * The data of `rate_message`: the user's rating of a run's answer. It names the run, or one of
 * the run's documents in the log; a rating of null withdraws the rating.
 */
export interface RateRequest {
  threadId: string;
  runId?: string;
  messageId?: string;
  rating: "up" | "down" | null;
  comment?: string;
}

/** An answer to one interrupt, in AG-UI's form; "cancelled" counts as a rejection. */
export interface ResumeEntry {
  interruptId: string;
  status: "resolved" | "cancelled";
  payload?: Decision;
}

/**
 * The data of `run_agent`.
 *
 * `retry` names the thread's newest turn and runs its message again. With `replaces`, the message
 * replaces that turn. The log keeps both turns; models see only the new one.
 */
export interface RunRequest {
  agent: string;
  threadId?: string;
  runId?: string;
  retry?: string;
  replaces?: string;
  message?: string | (TextPart | MediaPart)[];
  resume?: ResumeEntry[];
  toolResults?: ClientToolResult[];
  context?: Record<string, any>;
  clientId?: string;
  clientTools?: string[];
  whenBusy?: "reject" | "supersede";
  locale?: "en" | "he";
}

/** The result of `run_agent`. */
export interface RunResult {
  threadId: string;
  turnId: string;
  runId: string;
  agent: string;
  outcome: Outcome;
  stopReason?: StopReason;
  type: "info" | "question" | "result" | "action";
  message: string;
  quickReplies: string[];
  collectedData?: Record<string, any>;
  toolCalls: ToolCallRecord[];
  citations: Citation[];
  steps: number;
  usage: ModelUsage[];
}

/** The limit that ended a turn before the model did. */
export type StopReason = "max_steps" | "max_calls" | "max_tokens" | "max_cost" | "budget" | "cancelled" | "deadline" | "repeated_calls" | "length" | "blocked" | "model_unavailable";

/** Text of a message. */
export interface TextPart {
  type: "text";
  text: string;
}

/** The data of `clear_thread` and `delete_thread`. */
export interface ThreadRequest {
  threadId: string;
}

/** A tool call in a run's result. */
export interface ToolCallRecord {
  id: string;
  tool: string;
  arguments: Record<string, any>;
  status: CallStatus;
  result?: any;
  error?: Record<string, any>;
  display?: Display;
  files?: FileRef[];
  approvalId?: string;
  allowedBy?: string;
  undo?: Record<string, any>;
  step: number;
  ms: number;
}
