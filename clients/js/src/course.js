/**
 * The course of one run, from its start to its end: each event once, in order, however often the
 * connection is lost on the way.
 *
 * A stream that is lost is continued from the run's stored events, where Firestore is at hand, and
 * otherwise, or when nothing new comes there, by asking again with the same run id and data, which
 * starts nothing anew.
 */

import { isLost, RollcallError, toRollcallError } from "./errors.js";
import { rewound } from "./events.js";
import { Seen } from "./seen.js";
import { pause, whenOnline } from "./waiting.js";

/** @import { AgentEvent } from "./events.js" */
/** @import { StoredRuns } from "./stored.js" */
/** @import { RunRequest, RunResult } from "../types/wire.js" */

/**
 * How patient a client is, in ms.
 * @typedef {object} Patience
 * @property {number} quiet Without an event for so long, it is looked whether there is news elsewhere.
 * @property {number} most Without getting any further for so long, it gives up.
 * @property {number} [pause] Before it asks again; each time twice as long, up to 8 s.
 */

/** @type {Patience} */
export const PATIENCE = { quiet: 20_000, most: 120_000, pause: 250 };

/** So often a run that answers nothing but refusals that may pass is asked for again. */
const REFUSALS = 5;

/**
 * @typedef {object} Ways
 * @property {(data: RunRequest, signal: AbortSignal) => AsyncGenerator<AgentEvent, RunResult, void>} stream
 * @property {Pick<StoredRuns, "follow" | "events" | "state" | "take" | "waiting">} [stored]
 * @property {Patience} [patience]
 */

export class Course {
  #ways;
  #request;
  #signal;
  #patience;
  #seen = new Seen();
  /** @type {string | undefined} */
  #threadId;
  /** @type {string} */
  #runId;
  #hasBegun = false;
  #isRetold = false;
  /** When the newest event came. */
  #newsAt = Date.now();
  /** @type {RunResult | undefined} */
  #result;
  /** @type {RollcallError | undefined} */
  #failure;

  /**
   * @param {Ways} ways
   * @param {RunRequest | { threadId: string, runId: string }} request The data of `run_agent`, with
   *   a run id; the ids alone for a run that is only watched.
   * @param {AbortSignal} signal Ends the watching.
   */
  constructor(ways, request, signal) {
    this.#ways = ways;
    this.#request = "agent" in request ? request : undefined;
    this.#threadId = request.threadId;
    this.#runId = request.runId ?? "";
    this.#signal = signal;
    this.#patience = ways.patience ?? PATIENCE;
    this.#hasBegun = !this.#request;
  }

  /**
   * The run's events, and its result in the end.
   * @returns {AsyncGenerator<AgentEvent, RunResult, void>}
   * @throws {RollcallError} The run failed, was refused, or cannot be reached.
   */
  async *events() {
    let isStored = !this.#request;
    for (let lost = 0, refusals = 0, since = Date.now(); ; lost += 1) {
      const before = this.#seen.count;
      /** @type {unknown} */
      let cause;
      try {
        yield* isStored ? this.#fromStore() : this.#fromStream();
      } catch (error) {
        cause = error;
      }
      this.#signal.throwIfAborted();
      if (this.#result) return this.#result;
      if (this.#failure) throw this.#failure;
      if (this.#seen.count > before) [lost, refusals, since] = [0, 0, Date.now()];
      const { code, retryAfterS = 0 } = toRollcallError(cause ?? lostSome());
      if (!this.#passes(cause, code)) throw toRollcallError(cause);
      if (isRefusal(cause) && ++refusals > REFUSALS) throw toRollcallError(cause);
      if (Date.now() - since > this.#patience.most) throw this.#unreachable(cause);
      isStored = !this.#request || (!isStored && this.#canBeFollowed());
      if (!isStored || lost) await this.#pause(lost, retryAfterS);
    }
  }

  /**
   * @param {number} lost
   * @param {number} leastS
   */
  async #pause(lost, leastS) {
    const first = this.#patience.pause ?? 250;
    await pause(Math.max(leastS * 1_000, first * 2 ** lost), this.#signal);
  }

  /** Whether it was over before it was asked for here. */
  get isRetold() {
    return this.#isRetold || this.#seen.count === 0;
  }

  #canBeFollowed() {
    return !!this.#ways.stored && this.#threadId !== undefined && this.#hasBegun;
  }

  /**
   * Whether the run may be found elsewhere after this error, or none.
   * @param {unknown} cause
   * @param {string} code
   */
  #passes(cause, code) {
    if (cause === undefined || isLost(cause)) return true;
    // It goes on elsewhere; or somebody is at this moment at what it answers.
    const isAnswer = !!(this.#request?.toolResults ?? this.#request?.resume);
    return code === "aborted" && (this.#hasBegun || isAnswer);
  }

  /** @param {unknown} cause */
  #unreachable(cause) {
    return new RollcallError("unavailable", "the server cannot be reached", {
      hint: "a run that has begun goes on by itself; follow it later by its threadId and runId",
      cause,
    });
  }

  /** @returns {AsyncGenerator<AgentEvent, void, void>} */
  async *#fromStream() {
    const attempt = new AbortController();
    const signal = AbortSignal.any([this.#signal, attempt.signal]);
    const stream = this.#ways.stream(/** @type {RunRequest} */ (this.#request), signal);
    const stop = this.#watch(attempt);
    try {
      let next = await stream.next();
      for (; !next.done; next = await stream.next()) {
        const isThere = yield* this.#take(next.value);
        if (isThere || this.#result) continue;
        yield* this.#fill();
        if (!(yield* this.#take(next.value))) throw lostSome();
      }
      if (this.#hasBegun && !this.#result) yield* this.#fill();
      this.#result ??= next.value;
    } catch (error) {
      if (attempt.signal.aborted) throw lostSome(); // it was quiet for too long
      if (this.#hasBegun && isRefusal(error) && !isLost(error)) yield* this.#fill();
      if (this.#failure && isRefusal(error)) this.#failure = toRollcallError(error);
      throw error;
    } finally {
      stop();
      attempt.abort();
    }
  }

  /**
   * End a stream that is quiet while there is news in the store, as one does whose network is gone.
   * @param {AbortController} attempt
   */
  #watch(attempt) {
    const look = async () => {
      if (!this.#canBeFollowed()) return;
      const { stored, threadId, runId } = this.#place();
      const events = await stored.events(threadId, runId);
      if ((events.at(-1)?.metadata?.n ?? -1) >= this.#seen.count) attempt.abort();
    };
    const looked = () => void look().catch(() => undefined); // the stream itself tells what is wrong
    this.#newsAt = Date.now();
    const timer = setInterval(() => {
      if (Date.now() - this.#newsAt >= this.#patience.quiet) looked();
    }, this.#patience.quiet);
    const stop = whenOnline(() => (this.#canBeFollowed() ? looked() : attempt.abort()));
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  /**
   * What is stored, until the run's end or until nothing new comes.
   * @returns {AsyncGenerator<AgentEvent, void, void>}
   */
  async *#fromStore() {
    const { stored, threadId, runId } = this.#place();
    const { status, result, error } = await stored.state(threadId, runId);
    if (status !== "running") {
      yield* this.#fill();
      this.#result ??= result;
      if (!this.#result) this.#fail(error ?? {});
      return;
    }
    const quiet = new AbortController();
    const signal = AbortSignal.any([this.#signal, quiet.signal]);
    const rest = () => setTimeout(() => quiet.abort(), this.#patience.quiet);
    let timer = rest();
    try {
      for await (const event of stored.follow(threadId, runId, signal)) {
        clearTimeout(timer);
        yield* this.#take(event);
        if (this.#result || this.#failure) return;
        timer = rest();
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * What is stored now and was not seen yet.
   * @returns {AsyncGenerator<AgentEvent, void, void>}
   */
  async *#fill() {
    if (!this.#canBeFollowed()) return;
    const { stored, threadId, runId } = this.#place();
    for (const event of await stored.events(threadId, runId)) {
      if (!(yield* this.#take(event))) return;
    }
  }

  #place() {
    const stored = /** @type {NonNullable<Ways["stored"]>} */ (this.#ways.stored);
    return { stored, threadId: /** @type {string} */ (this.#threadId), runId: this.#runId };
  }

  /**
   * Pass an event on, unless it was seen.
   * @param {AgentEvent} event
   * @returns {AsyncGenerator<AgentEvent, boolean, void>} False where others are missing before it.
   */
  async *#take(event) {
    this.#newsAt = Date.now();
    if (event.type === "RUN_STARTED") {
      [this.#threadId, this.#runId, this.#hasBegun] = [event.threadId, event.runId, true];
      if (this.#seen.count === 0) this.#isRetold = !!event.metadata?.isRetold;
    }
    const standing = this.#seen.take(event);
    if (standing === "gap") return false;
    if (standing === "unnumbered") return yield* this.#takeSummary(event);
    if (standing === "seen") return true;
    if (standing === "other") yield rewound(this.#runId, event.metadata?.n ?? 0);
    yield* this.#pass(event);
    return true;
  }

  /**
   * A run that is done may be told again by its start and its end alone, without numbers.
   * @param {AgentEvent} event
   * @returns {AsyncGenerator<AgentEvent, true, void>}
   */
  async *#takeSummary(event) {
    yield* this.#fill();
    const isFirst = event.type === "RUN_STARTED" && this.#seen.count === 0;
    if (isFirst || (event.type === "RUN_FINISHED" && !this.#result)) yield* this.#pass(event);
    return true;
  }

  /**
   * @param {AgentEvent} event
   * @returns {AsyncGenerator<AgentEvent, void, void>}
   */
  async *#pass(event) {
    if (event.type === "RUN_FINISHED") {
      const { threadId, runId } = event;
      // A very large result stands in the run's document alone.
      const result = event.result ?? (await this.#ways.stored?.state(threadId, runId))?.result;
      if (!result) throw lostSome();
      this.#result = result;
      yield { ...event, result };
      return;
    }
    if (event.type === "RUN_ERROR") this.#fail(event);
    yield event;
  }

  /** @param {{ code?: string, message?: string, hint?: string }} error */
  #fail({ code = "internal", message = "the run ended without an answer", hint }) {
    this.#failure ??= new RollcallError(code, message, { hint });
  }
}

function lostSome() {
  return new RollcallError("unavailable", "some of the run's events were lost on the way");
}

/**
 * Whether the functions themselves said no.
 * @param {unknown} error
 */
function isRefusal(error) {
  return typeof (/** @type {any} */ (error)?.details?.code) === "string";
}
