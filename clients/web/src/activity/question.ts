/** One question of an activity: its draft, its answer, and the feedback. */

import { computed, signal } from "@preact/signals";

import type { AnswerStorage } from "./answer_storage.js";
import type { AnswerResult, Block, AnswerValue, Kind } from "./wire.js";

/** An answer that is being sent. Its key stays the same in retries. */
export interface PendingAnswer {
  callKey: string;
  answer: AnswerValue;
}

const CONTENT: ReadonlySet<Kind> = new Set<Kind>(["text", "table", "image", "cards"]);

export function isQuestion({ kind }: Block): boolean {
  return !CONTENT.has(kind);
}

export class Question {
  readonly block: Block;
  readonly draft = signal<AnswerValue | undefined>(undefined);
  readonly answered = signal<AnswerResult | undefined>(undefined);
  readonly sending = signal<PendingAnswer | undefined>(undefined);
  /** The server's reason for refusing the answer. */
  readonly refusal = signal<string | undefined>(undefined);
  /** How often it was answered since the page was opened. */
  tries = 0;
  readonly #storage: AnswerStorage | undefined;

  /** The feedback on the current draft; undefined once the draft has changed. */
  readonly shown = computed(() => {
    const answered = this.answered.value;
    return answered && same(answered.given, this.draft.value) ? answered : undefined;
  });
  readonly takesAnswers = computed(() => !this.sending.value && this.answered.value?.triesLeft !== 0);
  readonly mayCheck = computed(() => this.takesAnswers.value && !this.shown.value && this.#hasDraft());

  constructor(block: Block, storage: AnswerStorage | undefined, answered?: AnswerResult) {
    this.block = block;
    this.#storage = storage;
    this.answered.value = answered;
    this.sending.value = storage?.read<PendingAnswer>(`sending.${block.blockId}`);
    const written = answered?.triesLeft === 0 ? undefined : storage?.read<AnswerValue>(`draft.${block.blockId}`);
    this.draft.value = this.sending.value?.answer ?? written ?? answered?.given ?? this.#empty();
  }

  write(draft: AnswerValue): void {
    this.draft.value = draft;
    this.refusal.value = undefined;
    this.#storage?.write(`draft.${this.block.blockId}`, draft);
  }

  /** Submit the draft as the answer, which is stored until the server has it. */
  check(): void {
    if (this.mayCheck.value) this.#setSending({ callKey: crypto.randomUUID(), answer: this.draft.value as AnswerValue });
  }

  accept(answered: AnswerResult): void {
    this.tries += 1;
    this.answered.value = answered;
    this.#storage?.write(`draft.${this.block.blockId}`, undefined);
    this.#setSending(undefined);
  }

  refuse(reason: string): void {
    this.refusal.value = reason;
    this.#setSending(undefined);
  }

  #setSending(sending: PendingAnswer | undefined): void {
    this.#storage?.write(`sending.${this.block.blockId}`, sending);
    this.sending.value = sending;
  }

  #hasDraft(): boolean {
    const draft = this.draft.value;
    if (typeof draft === "string") return draft.trim() !== "";
    if (Array.isArray(draft)) return draft.length > 0;
    if (typeof draft === "object") return Object.values(draft).some((each) => each.trim() !== "");
    return draft !== undefined;
  }

  #empty(): AnswerValue | undefined {
    switch (this.block.kind) {
      case "order":
        return this.block.options.map(({ id }) => id);
      case "multi_choice":
        return [];
      case "match":
      case "cloze":
        return {};
      default:
        return undefined;
    }
  }
}

/** Whether two answers are one; ids of a multiple choice, and pairs, in any order. */
function same(one: AnswerValue | undefined, other: AnswerValue | undefined): boolean {
  return canonical(one) === canonical(other);
}

function canonical(given: AnswerValue | undefined): string {
  if (typeof given !== "object" || Array.isArray(given)) return JSON.stringify(given) ?? "";
  return JSON.stringify(Object.entries(given).sort());
}
