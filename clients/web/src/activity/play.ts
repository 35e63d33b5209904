/**
 * The state of playing an activity: opening, answering, handing in.
 *
 * Answers are sent one after the other, each with a call key that is stored on the device, so that
 * after a lost network or a reload it is sent again and the server takes it once. In a teacher's
 * preview answers are checked, and nothing is stored.
 */

import { RollcallError } from "@rollcall/client";
import { computed, signal } from "@preact/signals";

import { announce } from "../app/toast.js";
import { call, isTransient } from "../firebase/calls.js";
import type { Connection } from "../firebase/connection.js";
import { refusalOf } from "../school/refusal.js";
import { AnswerStorage } from "./answer_storage.js";
import { isQuestion, Question } from "./question.js";
import { say } from "./texts.js";
import type { Activity, AnswerResult, Attempt } from "./wire.js";

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 15_000;

export class Play {
  readonly contentId: string;
  readonly activity = signal<Activity | undefined>(undefined);
  readonly questions = signal<ReadonlyMap<string, Question>>(new Map());
  readonly attempt = signal<Attempt | undefined>(undefined);
  /** The error that ended loading or sending. */
  readonly problem = signal<RollcallError | undefined>(undefined);
  /** Whether the server could not be reached; it is tried again. */
  readonly isCutOff = signal(false);
  /** Whether the teacher or another tab has changed it. */
  readonly hasChanged = signal(false);
  readonly finishing = signal<string | undefined>(undefined);

  readonly answered = computed(() => this.#count((each) => each.answered.value !== undefined));
  readonly waiting = computed(() => this.#count((each) => each.sending.value !== undefined));
  readonly isFinished = computed(() => this.attempt.value?.status === "finished");

  readonly #connection: Connection;
  #storage: AnswerStorage | undefined;
  #isSending = false;
  #wait = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  readonly #retry = () => void this.#tryAgain();

  constructor(connection: Connection, contentId: string) {
    this.#connection = connection;
    this.contentId = contentId;
    window.addEventListener("online", this.#retry);
    void this.load();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    window.removeEventListener("online", this.#retry);
  }

  /** Load the activity with its answers, and resume sending. */
  async load(): Promise<void> {
    try {
      const { contentId } = this;
      const activity = await call<Activity>(this.#connection, "get_activity", { contentId });
      this.problem.value = undefined;
      this.#show(activity);
    } catch (error) {
      this.#fail(error as RollcallError);
      return;
    }
    await this.send();
  }

  finish(): void {
    this.finishing.value = crypto.randomUUID();
    this.#storage?.write("finishing", this.finishing.value);
    void this.send();
  }

  /** Send the pending answers, then the hand-in. */
  async send(): Promise<void> {
    if (this.#isSending || this.#isClosed) return;
    this.#isSending = true;
    try {
      for (let question; !this.#isClosed && (question = this.#next()); ) await this.#answer(question);
      if (this.finishing.value && !this.#isClosed) await this.#finish(this.finishing.value);
      [this.isCutOff.value, this.#wait] = [false, FIRST_WAIT_MS];
    } catch (error) {
      this.#fail(error as RollcallError);
    } finally {
      this.#isSending = false;
    }
    if (this.#next() && !this.isCutOff.value && !this.problem.value) await this.send();
  }

  #show(activity: Activity): void {
    const kept = activity.isPreview
      ? undefined
      : new AnswerStorage(this.#connection.uid, activity.contentId, activity.version);
    const answers = new Map(activity.answers.map((each) => [each.blockId, each]));
    const blocks = activity.blocks.filter(isQuestion);
    const isFinished = activity.attempt?.status === "finished";
    if (isFinished) kept?.clear();
    this.#storage = kept;
    this.questions.value = new Map(
      blocks.map((block) => [block.blockId, new Question(block, kept, answers.get(block.blockId))]),
    );
    this.attempt.value = activity.attempt;
    this.finishing.value = kept?.read<string>("finishing");
    this.activity.value = activity;
  }

  async #answer(question: Question): Promise<void> {
    const { blockId } = question.block;
    const { callKey, answer } = question.sending.value!;
    try {
      const answered = this.activity.value?.isPreview
        ? await call<AnswerResult>(this.#connection, "try_answer", { blockId, answer, tries: question.tries + 1 })
        : await call<AnswerResult>(
            this.#connection,
            "answer_block",
            { attemptId: (await this.#begun()).attemptId, blockId, answer },
            { callKey },
          );
      question.accept(answered);
      announce(say(`result.${resultOf(answered)}`));
    } catch (cause) {
      const error = cause as RollcallError;
      if (isTransient(error) || this.#isClosed) throw error; // it stays on the device
      const isWrongShape = error.code === "invalid-argument";
      const isNumber = isWrongShape && question.block.kind === "numeric";
      question.refuse(isNumber ? say("refused.number") : say("refused.other", { reason: refusalOf(error).advice }));
      announce(question.refusal.value as string);
      if (!isWrongShape) await this.#comeBack(error);
    }
  }

  async #finish(callKey: string): Promise<void> {
    if (this.activity.value?.isPreview) {
      this.attempt.value = { ...this.#tried(), status: "finished" };
    } else {
      try {
        const { attemptId } = await this.#begun();
        this.attempt.value = await call<Attempt>(this.#connection, "finish_attempt", { attemptId }, { callKey });
      } catch (error) {
        if (isTransient(error as RollcallError)) throw error;
        this.#storage?.write("finishing", undefined);
        await this.#comeBack(error as RollcallError);
        return;
      }
      this.#storage?.clear();
      await this.load(); // what is said to answers that may not be tried any more
    }
    this.finishing.value = undefined;
    announce(say("done.title"));
  }

  /** The attempt that answers belong to; it begins with the first. */
  async #begun(): Promise<Attempt> {
    const { contentId } = this;
    this.attempt.value ??= await call<Attempt>(
      this.#connection,
      "start_attempt",
      { contentId },
      { callKey: crypto.randomUUID() }, // one attempt there is of each version, whatever the key
    );
    return this.attempt.value;
  }

  /** Show how it stands, after a refusal which says that it was changed from elsewhere. */
  async #comeBack(error: RollcallError): Promise<void> {
    if (error.code !== "failed-precondition") throw error;
    this.#show(await call<Activity>(this.#connection, "get_activity", { contentId: this.contentId }));
    this.hasChanged.value = true;
  }

  #fail(error: RollcallError): void {
    if (!isTransient(error)) {
      this.problem.value = error;
      return;
    }
    this.isCutOff.value = true;
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#retry, Math.max(this.#wait, 1_000 * (error.retryAfterS ?? 0)));
    this.#wait = Math.min(2 * this.#wait, MAX_WAIT_MS);
  }

  async #tryAgain(): Promise<void> {
    await (this.activity.value ? this.send() : this.load());
  }

  #next(): Question | undefined {
    return [...this.questions.value.values()].find(({ sending }) => sending.value);
  }

  #count(of: (question: Question) => boolean): number {
    return [...this.questions.value.values()].filter(of).length;
  }

  /** What a teacher's trial comes to. */
  #tried(): Attempt {
    const answers = [...this.questions.value.values()].flatMap(({ answered }) => answered.value ?? []);
    const sum = (of: (answered: AnswerResult) => number) => answers.reduce((total, each) => total + of(each), 0);
    const blocks = [...this.questions.value.values()].map(({ block }) => block);
    return {
      attemptId: "",
      status: "open",
      answered: answers.length,
      questions: blocks.length,
      points: sum(({ points = 0 }) => points),
      maxPoints: blocks.reduce((total, { points }) => total + points, 0),
      toJudge: sum(({ correct }) => (correct === undefined ? 1 : 0)),
    };
  }
}

export type Result = "right" | "partly" | "wrong" | "given";

export function resultOf({ correct, points = 0 }: AnswerResult): Result {
  if (correct === undefined) return "given";
  return correct ? "right" : points > 0 ? "partly" : "wrong";
}
