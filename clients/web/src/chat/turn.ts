/** One turn of a conversation: the user's message, and the texts and calls of the answer. */

import { RollcallError, type Run, type RunResult, type ShownCall } from "@rollcall/client";
import type { MediaPart, TextPart } from "@rollcall/client/wire";
import { signal } from "@preact/signals";

import type { RunDocument } from "../store/store.js";

/** An item of an answer: a text or a tool call, with its run. */
export type Item = { id: string; runId: string } & (
  | { kind: "text"; text: string; isWhole: boolean }
  | { kind: "call"; call: ShownCall }
);

export type TurnState = "sending" | "running" | "waiting" | "done" | "cancelled" | "failed";

export interface TurnView {
  state: TurnState;
  items: Item[];
  result?: RunResult;
  error?: RollcallError;
}

export class Turn {
  /** The id of the turn's first run; unique in the conversation. */
  readonly key: string;
  /** Undefined until the server has assigned it. */
  turnId: string | undefined;
  /** The newest run of the turn. */
  runId: string;
  readonly message: (TextPart | MediaPart)[];
  readonly createdAt: Date;
  /** The id of the turn that it replaces. */
  readonly replaces: string | undefined;
  /** The run, while this page follows it. */
  run: Run | undefined;
  readonly view = signal<TurnView>({ state: "done", items: [] });
  /** The number of its first log entry, if it was read from the log. */
  readonly n: number;
  /** The ids of streamed texts and calls, in order, with their runs. */
  #order = new Map<string, string>();
  /** Items of the turn's earlier runs. */
  #earlier: Item[] = [];
  #isDue = false;

  constructor(turn: {
    key: string;
    runId: string;
    turnId?: string;
    message: (TextPart | MediaPart)[];
    createdAt: Date;
    replaces?: string | undefined;
    n?: number;
  }) {
    this.key = turn.key;
    this.runId = turn.runId;
    this.turnId = turn.turnId;
    this.message = turn.message;
    this.createdAt = turn.createdAt;
    this.replaces = turn.replaces;
    this.n = turn.n ?? Infinity;
  }

  /** The message's words. */
  get text(): string {
    return this.message.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  }

  /** The answer's words, of all its texts. */
  get answer(): string {
    const texts = this.view.value.items.flatMap((item) => (item.kind === "text" ? [item.text] : []));
    return texts.filter(Boolean).join("\n\n");
  }

  /** Whether the end of its newest run is known. */
  get isComplete(): boolean {
    const { result, error } = this.view.value;
    return (result ?? error) !== undefined;
  }

  /** Whether its run has more than the log: call results, or sources cited by number. */
  get hasMore(): boolean {
    return this.view.value.items.some((item) => item.kind === "call" || /\[\d+\]/.test(item.text));
  }

  /** Apply the end of the run from its document. */
  complete({ status, result, error }: RunDocument): void {
    const { items } = this.view.value;
    if (result) this.#end(result, items);
    else {
      const { code = "internal", message = "", hint } = error ?? {};
      const failure = new RollcallError(code, message, { ...(hint && { hint }) });
      const state = status === "cancelled" ? "cancelled" : "failed";
      this.view.value = { state, items, error: failure };
    }
  }

  /** Follow a run until it ends or waits. */
  async follow(run: Run, state: TurnState = "sending"): Promise<void> {
    this.run = run;
    this.runId = run.runId;
    // What asked for a decision is done with once the turn goes on.
    this.#earlier = this.view.value.items.filter(({ id }) => !id.endsWith("-waiting"));
    this.#order.clear();
    this.view.value = { state, items: this.#items() };
    const note = (id: string) => this.#order.has(id) || this.#order.set(id, this.runId);
    const stop = run.on("event", (event) => {
      if (event.type === "TEXT_MESSAGE_START") note(`t:${event.messageId}`);
      if (event.type === "TOOL_CALL_START") note(`c:${event.toolCallId}`);
      if (event.type === "RUN_STARTED") {
        this.runId = event.runId;
        this.turnId ??= event.runId; // a turn is called after its first run
        this.#show("running");
      } else this.#showSoon();
    });
    try {
      const result = await run.result;
      for (const { id } of run.calls) note(`c:${id}`);
      this.#end(result, this.#items());
    } catch (cause) {
      const error = cause as RollcallError;
      const state = error.code === "cancelled" ? "cancelled" : "failed";
      this.view.value = { state, items: markWhole(this.#items()), error };
    } finally {
      stop();
    }
  }

  #end(result: RunResult, items: Item[]): void {
    this.turnId = result.turnId;
    this.runId = result.runId;
    const state = STATES[result.outcome.type];
    this.view.value = { state, items: withAnswer(markWhole(items), result), result };
  }

  /** Update at most once a frame, however many events come. */
  #showSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    const show = () => {
      this.#isDue = false;
      if (this.view.value.state === "running") this.#show("running");
    };
    // A hidden page gets no animation frames.
    if (document.hidden) setTimeout(show, 100);
    else requestAnimationFrame(show);
  }

  #show(state: TurnState): void {
    this.view.value = { state, items: this.#items() };
  }

  /** Unchanged items stay the same objects, so that they are not rendered again. */
  #items(): Item[] {
    const said = new Map(this.run?.messages.map((each) => [`t:${each.id}`, each]));
    const calls = new Map(this.run?.calls.map((each) => [`c:${each.id}`, each]));
    const before = new Map(this.view.value.items.map((item) => [item.id, item]));
    const runs = new Set([this.runId, ...this.#order.values()]);
    const items = new Map<string, Item>();
    for (const item of this.#earlier) {
      // What the log held of a run that is followed comes again with its events.
      const isHere = item.kind === "call" && calls.has(item.id);
      if (!runs.has(item.runId) || isHere) items.set(item.id, item);
    }
    for (const [id, runId] of this.#order) {
      const old = before.get(id);
      const text = said.get(id);
      const call = calls.get(id);
      if (text) {
        const isSame =
          old?.kind === "text" && old.text === text.text && old.isWhole === text.isWhole;
        const { isWhole } = text;
        items.set(id, isSame ? old : { kind: "text", id, runId, text: text.text, isWhole });
      } else if (call) items.set(id, { kind: "call", id, runId, call: { ...call } });
    }
    return [...items.values()];
  }
}

const STATES = { success: "done", interrupt: "waiting", cancelled: "cancelled" } as const;

/** Mark all texts as complete, after the run has ended. */
function markWhole(items: Item[]): Item[] {
  return items.map((item) =>
    item.kind === "text" && !item.isWhole ? { ...item, isWhole: true } : item,
  );
}

/**
 * Apply the result, which overrides the events: a review may have added a remark, a stop may have cut
 * a text. Its records have the outcomes of the calls.
 */
function withAnswer(items: Item[], { message, runId, toolCalls }: RunResult): Item[] {
  const records = new Map(toolCalls.map((record) => [`c:${record.id}`, record]));
  const all = items.map((item): Item => {
    const record = records.get(item.id);
    if (item.kind !== "call" || !record) return item;
    return { ...item, call: { ...item.call, arguments: record.arguments, record } };
  });
  const at = all.findLastIndex((item) => item.kind === "call") + 1;
  const [before, closing] = [all.slice(0, at), all.slice(at)];
  const isSaid = (items: Item[]) => withoutSpaces(words(items)) === withoutSpaces(message);
  // A remark comes as a text of its own, and belongs to the answer.
  const [first] = closing;
  if (first && isSaid(closing)) return [...before, { ...first, kind: "text", text: message }] as Item[];
  const own = all.filter((item) => item.runId === runId);
  if (!message || isSaid(own)) return all;
  const id = first?.id ?? `t:${runId}`;
  return [...before, { kind: "text", id, runId, text: message, isWhole: true }];
}

function words(items: Item[]): string {
  return items.map((item) => (item.kind === "text" ? item.text : "")).join("");
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, "");
}
