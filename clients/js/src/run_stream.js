/**
 * The events of one run, each once and in order, across lost connections.
 *
 * A lost stream is continued from the events stored in Firestore, if the app passed it. Without it,
 * or when nothing new is stored, the same request is sent again: a run id names one run, so that
 * nothing is started twice.
 */

import { isLost, RollcallError, toRollcallError } from "./errors.js";
import { rewindEvent } from "./events.js";
import { EventSequence } from "./event_sequence.js";
import { backOff, whenOnline } from "./retry.js";

/** @import { AgentEvent } from "./events.js" */
/** @import { RunStore } from "./run_store.js" */
/** @import { RunRequest, RunResult } from "../types/wire.js" */

/**
 * How long a client waits before it retries and gives up, in ms.
 * @typedef {object} RetryPolicy
 * @property {number} quiet After this time without an event it looks for stored ones.
 * @property {number} most After this time without progress it gives up.
 * @property {number} [pause] The first delay before a retry. It doubles each time, up to 8 s.
 */

/** @type {RetryPolicy} */
export const RETRY_POLICY = { quiet: 20_000, most: 120_000, pause: 250 };

/** The most retries of a run that only answers with transient refusals. */
const REFUSALS = 5;

/**
 * @typedef {object} RunAccess
 * @property {(data: RunRequest, signal: AbortSignal) => AsyncGenerator<AgentEvent, RunResult, void>} stream
 * @property {Pick<RunStore, "follow" | "events" | "state" | "take" | "waiting">} [stored]
 * @property {RetryPolicy} [retryPolicy]
 */

export class RunStream {
  #access;
  #request;
  #signal;
  #retryPolicy;
  #sequence = new EventSequence();
  /** @type {string | undefined} */
  #threadId;
  /** @type {string} */
  #runId;
  #hasBegun = false;
  #isRetold = false;
  /** When the newest event came. */
  #lastEventAt = Date.now();
  /** @type {RunResult | undefined} */
  #result;
  /** @type {RollcallError | undefined} */
  #failure;

  /**
   * @param {RunAccess} access
   * @param {RunRequest | { threadId: string, runId: string }} request The data of `run_agent`, with
   *   a run id, or only the ids, to watch a run.
   * @param {AbortSignal} signal Ends the stream.
   */
  constructor(access, request, signal) {
    this.#access = access;
    this.#request = "agent" in request ? request : undefined;
    this.#threadId = request.threadId;
    this.#runId = request.runId ?? "";
    this.#signal = signal;
    this.#retryPolicy = access.retryPolicy ?? RETRY_POLICY;
    this.#hasBegun = !this.#request;
  }

  /**
   * Yield the run's events and return its result.
   * @returns {AsyncGenerator<AgentEvent, RunResult, void>}
   * @throws {RollcallError} The run failed, was refused, or cannot be reached.
   */
  async *events() {
    let isStored = !this.#request;
    for (let lost = 0, refusals = 0, since = Date.now(); ; lost += 1) {
      const before = this.#sequence.count;
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
      if (this.#sequence.count > before) [lost, refusals, since] = [0, 0, Date.now()];
      const { code, retryAfterS = 0 } = toRollcallError(cause ?? eventsLost());
      if (!this.#isPassing(cause, code)) throw toRollcallError(cause);
      if (isRefusal(cause) && ++refusals > REFUSALS) throw toRollcallError(cause);
      if (Date.now() - since > this.#retryPolicy.most) throw this.#unreachable(cause);
      isStored = !this.#request || (!isStored && this.#canBeFollowed());
      if (!isStored || lost) await this.#pause(lost, retryAfterS);
    }
  }

  /**
   * @param {number} lost
   * @param {number} leastS
   */
  async #pause(lost, leastS) {
    const first = this.#retryPolicy.pause ?? 250;
    await backOff(Math.max(leastS * 1_000, first * 2 ** lost), this.#signal);
  }

  /** Whether the run had ended before this request. */
  get isRetold() {
    return this.#isRetold || this.#sequence.count === 0;
  }

  #canBeFollowed() {
    return !!this.#access.stored && this.#threadId !== undefined && this.#hasBegun;
  }

  /**
   * Whether the run may still be reached after this error.
   * @param {unknown} cause
   * @param {string} code
   */
  #isPassing(cause, code) {
    if (cause === undefined || isLost(cause)) return true;
    // Another client continues it, or answers the same calls at this moment.
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
    const stream = this.#access.stream(/** @type {RunRequest} */ (this.#request), signal);
    const stop = this.#watch(attempt);
    try {
      let next = await stream.next();
      for (; !next.done; next = await stream.next()) {
        const isThere = yield* this.#take(next.value);
        if (isThere || this.#result) continue;
        yield* this.#fill();
        if (!(yield* this.#take(next.value))) throw eventsLost();
      }
      if (this.#hasBegun && !this.#result) yield* this.#fill();
      this.#result ??= next.value;
    } catch (error) {
      if (attempt.signal.aborted) throw eventsLost(); // it was quiet for too long
      if (this.#hasBegun && isRefusal(error) && !isLost(error)) yield* this.#fill();
      if (this.#failure && isRefusal(error)) this.#failure = toRollcallError(error);
      throw error;
    } finally {
      stop();
      attempt.abort();
    }
  }

  /**
   * Abort a stream that is silent while new events are stored, as happens when the network is lost.
   * @param {AbortController} attempt
   */
  #watch(attempt) {
    const look = async () => {
      if (!this.#canBeFollowed()) return;
      const { stored, threadId, runId } = this.#storedRun();
      const events = await stored.events(threadId, runId);
      if ((events.at(-1)?.metadata?.n ?? -1) >= this.#sequence.count) attempt.abort();
    };
    const looked = () => void look().catch(() => undefined); // the stream itself tells what is wrong
    this.#lastEventAt = Date.now();
    const timer = setInterval(() => {
      if (Date.now() - this.#lastEventAt >= this.#retryPolicy.quiet) looked();
    }, this.#retryPolicy.quiet);
    const stop = whenOnline(() => (this.#canBeFollowed() ? looked() : attempt.abort()));
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  /**
   * The stored events, until the run ends or nothing new is stored.
   * @returns {AsyncGenerator<AgentEvent, void, void>}
   */
  async *#fromStore() {
    const { stored, threadId, runId } = this.#storedRun();
    const { status, result, error } = await stored.state(threadId, runId);
    if (status !== "running") {
      yield* this.#fill();
      this.#result ??= result;
      if (!this.#result) this.#fail(error ?? {});
      return;
    }
    const quiet = new AbortController();
    const signal = AbortSignal.any([this.#signal, quiet.signal]);
    const rest = () => setTimeout(() => quiet.abort(), this.#retryPolicy.quiet);
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
   * The events stored so far that were not delivered yet.
   * @returns {AsyncGenerator<AgentEvent, void, void>}
   */
  async *#fill() {
    if (!this.#canBeFollowed()) return;
    const { stored, threadId, runId } = this.#storedRun();
    for (const event of await stored.events(threadId, runId)) {
      if (!(yield* this.#take(event))) return;
    }
  }

  #storedRun() {
    const stored = /** @type {NonNullable<RunAccess["stored"]>} */ (this.#access.stored);
    return { stored, threadId: /** @type {string} */ (this.#threadId), runId: this.#runId };
  }

  /**
   * Deliver an event, unless it is a duplicate.
   * @param {AgentEvent} event
   * @returns {AsyncGenerator<AgentEvent, boolean, void>} False if events before it are missing.
   */
  async *#take(event) {
    this.#lastEventAt = Date.now();
    if (event.type === "RUN_STARTED") {
      [this.#threadId, this.#runId, this.#hasBegun] = [event.threadId, event.runId, true];
      if (this.#sequence.count === 0) this.#isRetold = !!event.metadata?.isRetold;
    }
    const position = this.#sequence.take(event);
    if (position === "gap") return false;
    if (position === "unnumbered") return yield* this.#takeSummary(event);
    if (position === "duplicate") return true;
    if (position === "replacement") yield rewindEvent(this.#runId, event.metadata?.n ?? 0);
    yield* this.#emit(event);
    return true;
  }

  /**
   * A finished run may be replayed as its first and last event alone, without numbers.
   * @param {AgentEvent} event
   * @returns {AsyncGenerator<AgentEvent, true, void>}
   */
  async *#takeSummary(event) {
    yield* this.#fill();
    const isFirst = event.type === "RUN_STARTED" && this.#sequence.count === 0;
    if (isFirst || (event.type === "RUN_FINISHED" && !this.#result)) yield* this.#emit(event);
    return true;
  }

  /**
   * @param {AgentEvent} event
   * @returns {AsyncGenerator<AgentEvent, void, void>}
   */
  async *#emit(event) {
    if (event.type === "RUN_FINISHED") {
      const { threadId, runId } = event;
      // A very large result stands in the run's document alone.
      const result = event.result ?? (await this.#access.stored?.state(threadId, runId))?.result;
      if (!result) throw eventsLost();
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

function eventsLost() {
  return new RollcallError("unavailable", "some of the run's events were lost on the way");
}

/**
 * Whether the functions themselves refused the request.
 * @param {unknown} error
 */
function isRefusal(error) {
  return typeof (/** @type {any} */ (error)?.details?.code) === "string";
}
