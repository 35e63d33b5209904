/** One question of an activity: what is being answered, what was, and what was said to it. */

import { computed, signal } from "@preact/signals";

import type { Kept } from "./kept.js";
import type { Answered, Block, Given, Kind } from "./wire.js";

/** An answer on its way. The key is the same however often it is sent. */
export interface Sending {
  callKey: string;
  answer: Given;
}

const READ: ReadonlySet<Kind> = new Set<Kind>(["text", "table", "image", "cards"]);
const GAP = /\{\{(\d{1,2})\}\}/g;

export function isQuestion({ kind }: Block): boolean {
  return !READ.has(kind);
}

/** The numbers of a cloze's gaps, in reading order. */
export function gapsOf({ stem }: Block): string[] {
  return [...stem.matchAll(GAP)].map(([, number]) => number as string);
}

export class Question {
  readonly block: Block;
  readonly draft = signal<Given | undefined>(undefined);
  readonly answered = signal<Answered | undefined>(undefined);
  readonly sending = signal<Sending | undefined>(undefined);
  /** Why the server did not take the answer, in words. */
  readonly refusal = signal<string | undefined>(undefined);
  /** How often it was answered since the page was opened. */
  tries = 0;
  readonly #kept: Kept | undefined;

  /** What was said to the draft as it stands; undefined once it was changed. */
  readonly shown = computed(() => {
    const answered = this.answered.value;
    return answered && same(answered.given, this.draft.value) ? answered : undefined;
  });
  readonly takesAnswers = computed(() => !this.sending.value && this.answered.value?.triesLeft !== 0);
  readonly mayCheck = computed(() => this.takesAnswers.value && !this.shown.value && this.#isBegun());

  constructor(block: Block, kept: Kept | undefined, answered?: Answered) {
    this.block = block;
    this.#kept = kept;
    this.answered.value = answered;
    this.sending.value = kept?.read<Sending>(`sending.${block.blockId}`);
    const written = answered?.triesLeft === 0 ? undefined : kept?.read<Given>(`draft.${block.blockId}`);
    this.draft.value = this.sending.value?.answer ?? written ?? answered?.given ?? this.#empty();
  }

  write(draft: Given): void {
    this.draft.value = draft;
    this.refusal.value = undefined;
    this.#kept?.write(`draft.${this.block.blockId}`, draft);
  }

  /** Take the draft as the answer, which is kept until the server has it. */
  check(): void {
    if (this.mayCheck.value) this.#setSending({ callKey: crypto.randomUUID(), answer: this.draft.value as Given });
  }

  accept(answered: Answered): void {
    this.tries += 1;
    this.answered.value = answered;
    this.#kept?.write(`draft.${this.block.blockId}`, undefined);
    this.#setSending(undefined);
  }

  refuse(reason: string): void {
    this.refusal.value = reason;
    this.#setSending(undefined);
  }

  #setSending(sending: Sending | undefined): void {
    this.#kept?.write(`sending.${this.block.blockId}`, sending);
    this.sending.value = sending;
  }

  #isBegun(): boolean {
    const draft = this.draft.value;
    if (typeof draft === "string") return draft.trim() !== "";
    if (Array.isArray(draft)) return draft.length > 0;
    if (typeof draft === "object") return Object.values(draft).some((each) => each.trim() !== "");
    return draft !== undefined;
  }

  #empty(): Given | undefined {
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
function same(one: Given | undefined, other: Given | undefined): boolean {
  return canonical(one) === canonical(other);
}

function canonical(given: Given | undefined): string {
  if (typeof given !== "object" || Array.isArray(given)) return JSON.stringify(given) ?? "";
  return JSON.stringify(Object.entries(given).sort());
}
