/** A turn as it happens: its runs, streamed and continued with this client's answers. */

import { Channel } from "./channel.js";
import { allRead, runCalls, pendingCalls } from "./client_tools.js";
import { RunStream, RETRY_POLICY } from "./run_stream.js";
import { decideAll, resumeEntries, isMine } from "./decisions.js";
import { RollcallError } from "./errors.js";
import { progressEvent } from "./events.js";
import { newId, nextRunId } from "./ids.js";
import { ListenerSet } from "./listeners.js";
import { Transcript } from "./transcript.js";
import { retry, sleep, unlessAborted } from "./retry.js";

/** @import { ClientTools } from "./client_tools.js" */
/** @import { RunAccess } from "./run_stream.js" */
/** @import { Decide } from "./decisions.js" */
/** @import { AgentEvent } from "./events.js" */
/** @import { Listeners } from "./listeners.js" */
/** @import { Locks } from "./locks.js" */
/** @import { Waiting } from "./run_store.js" */
/** @import { ClientToolResult, Decision, Interrupt, MediaPart, RunRequest, RunResult, TextPart } from "../types/wire.js" */

/** @typedef {Omit<Decision, "approved">} Remarks */

/**
 * Options of a turn, which its follow-up turns keep.
 * @typedef {object} RunOptions
 * @property {ClientTools} [clientTools] Tools of the agent that run here, by their names.
 * @property {Decide} [decide] Asked about each interrupt. Without it a turn ends where one waits.
 * @property {AbortSignal} [signal] Stops the run, here and on the server.
 * @property {RunRequest["context"]} [context] What the user has before them, as it is asked.
 */

/**
 * The origin of a run. One that `isWatched` was started elsewhere. One that `isNamed` has an id from
 * the app and may have been started before. Both may have continued since.
 * @typedef {{ isWatched?: boolean, isNamed?: boolean }} Origin
 */

/**
 * The services that a run gets from its `Rollcall`.
 * @typedef {object} RunServices
 * @property {RunAccess} access
 * @property {string} clientId
 * @property {Locks} locks
 * @property {(name: string, data: object) => Promise<any>} call
 */

/** How long a stop may take to reach the server, in ms. */
const STOP_MS = 10_000;
/** How long a run that was told to stop may take to end, in ms: it notices within two seconds. */
const END_MS = 4000;
/** How often to check whether a run's calls still wait, before concluding that they do not. */
const LOOKS = 4;
const LOOK_AGAIN_MS = 500;
/** The interval of checks for the results of calls that another process or browser has claimed. */
const TAKEN_MS = 2000;

/** @implements {AsyncIterable<AgentEvent>} */
export class Run {
  #services;
  #first;
  #options;
  /** @type {Channel<AgentEvent>} */
  #events = new Channel();
  #transcript = new Transcript();
  #listeners = new ListenerSet();
  #left = new AbortController();
  /** Stops the client's tools. */
  #stopped = new AbortController();
  /** Settles when the server has received a stop. @type {Promise<unknown> | undefined} */
  #cancelling;
  /** Whether the server knows the run. */
  #hasBegun = false;
  /** Whether the newest run had ended before this client asked for it. */
  #isRetold = false;
  /** @type {RunResult | undefined} The newest, of whichever run of the turn. */
  #newest;
  /** The turn's work, from its first run to its end. @type {Promise<RunResult> | undefined} */
  #turnWork;
  /** Whether a run without a result is streaming. */
  #isUnderway = false;
  /** @type {Map<string, Decision>} */
  #decisions = new Map();
  /** The continuation after an answer, of which there is one. @type {Run | undefined} */
  #next;

  /** The thread; undefined until the server has told it. @type {string | undefined} */
  threadId;
  /** The run of the turn that goes on now. @type {string} */
  runId;
  /** The result where the turn ends or waits. @type {Promise<RunResult>} */
  result;

  /**
   * @param {RunServices} services
   * @param {RunRequest & { runId: string }} request
   * @param {RunOptions} options
   * @param {Origin} [origin]
   */
  constructor(services, request, options, origin = {}) {
    this.#services = services;
    this.#first = request;
    this.#options = options;
    this.threadId = request.threadId;
    this.runId = request.runId;
    this.result = this.#work(origin);
    this.result.catch(() => undefined); // readers of the events get the error too
  }

  /** The answer so far. */
  get text() {
    return (!this.#isUnderway && this.#newest?.message) || this.#transcript.text;
  }

  /** The messages of the model and its tools, in order. */
  get messages() {
    return this.#transcript.messages;
  }

  /** The tool calls so far, in order. */
  get calls() {
    return this.#transcript.calls;
  }

  /** The interrupts that wait for a decision; none while a run is streaming. */
  get interrupts() {
    return (!this.#isUnderway && this.#newest?.outcome.interrupts) || [];
  }

  /** The first reader gets every event of the turn, later ones those that follow. */
  [Symbol.asyncIterator]() {
    return this.#events[Symbol.asyncIterator]();
  }

  /**
   * Listen to events, text or arguments as they stream.
   * @template {keyof Listeners} Name
   * @param {Name} name
   * @param {Listeners[Name]} listener
   * @returns {() => void} Stops it.
   */
  on(name, listener) {
    return this.#listeners.on(name, listener);
  }

  /**
   * Stop the run. It ends with the outcome "cancelled" and the text so far. If this client's tools or
   * decisions are running, they are stopped, and the run fails with the code "cancelled".
   * @returns {Promise<string>} "cancelling", "cancelled", or the status with which it had ended
   *   before.
   */
  async cancel() {
    const cancelling = this.#cancel();
    this.#cancelling = cancelling.catch(() => undefined);
    this.#stopped.abort(cancelledError());
    return cancelling;
  }

  /** Stop watching. The run goes on without this client; its client tools wait. */
  leave() {
    this.#left.abort(new RollcallError("cancelled", "this run was left; it goes on by itself"));
  }

  /**
   * Approve an interrupt.
   * @param {Interrupt} interrupt
   * @param {Remarks} [remarks]
   * @returns {Run | undefined} The continuation; undefined while other interrupts are undecided.
   */
  approve(interrupt, remarks = {}) {
    return this.#decide(interrupt, { approved: true, ...remarks });
  }

  /**
   * Reject an interrupt.
   * @param {Interrupt} interrupt
   * @param {string} [reason] Told to the model.
   * @returns {Run | undefined}
   */
  reject(interrupt, reason) {
    return this.#decide(interrupt, { approved: false, ...(reason && { reason }) });
  }

  /**
   * Decide all interrupts at once.
   * @param {Record<string, Decision>} decisions By the ids of the interrupts.
   * @returns {Run} The continuation.
   * @throws {RollcallError} It was answered before.
   */
  resume(decisions) {
    return this.#answer({ resume: resumeEntries(Object.entries(decisions)) });
  }

  /**
   * Send the results of pending calls that have no handlers.
   * @param {ClientToolResult[]} toolResults One for each pending call.
   * @returns {Run} The continuation.
   * @throws {RollcallError} It was answered before.
   */
  answer(toolResults) {
    return this.#answer({ toolResults });
  }

  /** Ask again; the new answer replaces this one. */
  retry() {
    return this.#nextRun({ retry: this.#requireResult().turnId });
  }

  /**
   * Replace the message. This turn stays in the log, but models no longer see it.
   * @param {string | (TextPart | MediaPart)[]} message
   */
  edit(message) {
    return this.#nextRun({ message, replaces: this.#requireResult().turnId });
  }

  /**
   * Rate the answer; null removes the rating.
   * @param {"up" | "down" | null} rating
   * @param {string} [comment]
   */
  async rate(rating, comment) {
    const { threadId, runId } = this.#requireResult();
    await this.#services.call("rate_message", { threadId, runId, rating, ...(comment && { comment }) });
  }

  /**
   * @param {Interrupt} interrupt
   * @param {Decision} decision
   */
  #decide(interrupt, decision) {
    if (this.#next) return this.#next; // a second click
    this.#decisions.set(interrupt.id, decision);
    const isOpen = this.interrupts.some((each) => isMine(each) && !this.#decisions.has(each.id));
    if (isOpen) return undefined;
    const decisions = Object.fromEntries(this.#decisions);
    this.#decisions.clear();
    return this.resume(decisions);
  }

  /**
   * Continue with an answer. The first one counts, unless it is refused.
   * @param {Partial<RunRequest>} input
   */
  #answer(input) {
    if (this.#next) {
      const hint = "go on with the run that the answer returned";
      throw new RollcallError("failed-precondition", "this run was answered already", { hint });
    }
    const next = this.#nextRun(input);
    this.#next = next;
    next.result.catch(() => (this.#next = undefined));
    return next;
  }

  async #cancel() {
    await this.#untilBegun();
    const { threadId, runId } = this;
    return (await this.#services.call("cancel_run", { threadId, runId })).status;
  }

  /** @param {Partial<RunRequest>} input */
  #nextRun(input) {
    this.#requireResult();
    return new Run(this.#services, this.#request(input), this.#options);
  }

  #requireResult() {
    if (!this.#newest) throw tooEarly("the run has not ended");
    return this.#newest;
  }

  /**
   * The request for the next run of the thread.
   * @param {Partial<RunRequest>} input
   */
  #request(input) {
    const { agent, clientId, clientTools, locale } = this.#first;
    const { threadId } = this;
    // An answer's run is named, so that it is one run however often it is sent.
    const waiting = input.resume || input.toolResults ? this.#newest : undefined;
    const about = waiting
      ? { runId: nextRunId(waiting.runId) }
      : { runId: newId(), context: this.#options.context };
    return { agent, clientId, clientTools, locale, threadId, ...about, ...input };
  }

  /**
   * Run the turn until it ends or the user stops it.
   * @param {Origin} origin
   */
  async #work(origin) {
    const { signal } = this.#options;
    const stop = () => void this.#stop(signal?.reason);
    signal?.addEventListener("abort", stop);
    try {
      signal?.throwIfAborted();
      this.#turnWork = this.#turn(origin);
      const result = await unlessAborted(this.#turnWork, this.#left.signal);
      signal?.throwIfAborted();
      this.#events.close();
      return result;
    } catch (error) {
      this.#events.fail(error);
      throw error;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /**
   * The turn, run after run.
   * @param {Origin} origin
   */
  async #turn({ isWatched = false, isNamed = false }) {
    const { threadId = "", runId } = this.#first;
    let result = await this.#follow(isWatched ? { threadId, runId } : this.#first);
    if (isWatched || isNamed) {
      for (let next; (next = await this.#continuedBy(result));) {
        result = await this.#follow({ threadId: result.threadId, runId: next });
      }
      // What waited when it was over may have been done long ago, and cannot be looked up.
      if (this.#isRetold && !this.#services.access.stored) return result;
    }
    for (let next; (next = await this.#goOn(result));) result = next;
    return result;
  }

  /**
   * The run that continued this one, whose calls are then not run again.
   * @param {RunResult} result
   */
  async #continuedBy({ threadId, runId }) {
    const { signal } = this.#left;
    return (await this.#lookUp((stored) => stored.state(threadId, runId), signal))?.continuedBy;
  }

  /**
   * Read from the stored runs, with retries; undefined without Firestore.
   * @template T
   * @param {(stored: NonNullable<RunAccess["stored"]>) => Promise<T>} read
   * @param {AbortSignal} signal
   */
  async #lookUp(read, signal) {
    const { stored, retryPolicy = RETRY_POLICY } = this.#services.access;
    return stored && retry(() => read(stored), retryPolicy, signal);
  }

  /**
   * Deliver one run's events, and return its result.
   * @param {RunRequest | { threadId: string, runId: string }} request
   */
  async #follow(request) {
    this.runId = request.runId ?? this.runId;
    this.#hasBegun = !("agent" in request);
    const course = new RunStream(this.#services.access, request, this.#left.signal);
    const events = course.events();
    let next = await events.next();
    for (; !next.done; next = await events.next()) this.#handle(next.value);
    const result = next.value;
    this.#isRetold = course.isRetold;
    this.#newest = result;
    this.#isUnderway = false;
    this.threadId = result.threadId;
    this.#hasBegun = true;
    return result;
  }

  /** @param {AgentEvent} event */
  #handle(event) {
    if (event.type === "RUN_STARTED") {
      [this.threadId, this.runId, this.#hasBegun] = [event.threadId, event.runId, true];
      this.#isUnderway = true;
    }
    const news = this.#transcript.take(event);
    this.#events.push(event);
    this.#listeners.notify("event", event);
    if (event.type === "TEXT_MESSAGE_CONTENT") {
      const { messageId, delta } = event;
      this.#listeners.notify("text", { messageId, delta, text: this.#transcript.text });
    }
    if (news) this.#listeners.notify("arguments", news);
  }

  /**
   * Answer a run that waits, and return the result of its continuation. Undefined if this client
   * leaves it waiting, or the turn has ended.
   * @param {RunResult} result
   * @returns {Promise<RunResult | undefined>}
   */
  async #goOn(result) {
    const { clientTools = {}, decide } = this.#options;
    const { interrupts = [], pendingToolCallIds = [] } = result.outcome;
    if (pendingToolCallIds.length && Object.keys(clientTools).length) {
      return this.#answerCalls(result, clientTools);
    }
    const resume = await decideAll(interrupts, decide, this.#stopped.signal);
    return resume && this.#follow(this.#request({ resume }));
  }

  /**
   * Run the pending calls, and continue with their results. Of several clients that follow the run,
   * one does so: whoever holds the lock, and, among clients that share no locks, whoever claimed the
   * calls in Firestore. If that client dies, the server ends the wait, and the turn continues without
   * results.
   * @param {RunResult} result
   * @param {ClientTools} tools
   * @returns {Promise<RunResult>}
   */
  async #answerCalls(result, tools) {
    const signal = AbortSignal.any([this.#left.signal, this.#stopped.signal]);
    const free = await this.#services.locks.take(`rollcall ${result.threadId} ${result.runId}`, signal);
    // Held until the server has the results, so that no other client runs the calls meanwhile.
    const stop = this.on("event", ({ type }) => type === "RUN_STARTED" && free());
    try {
      const elsewhere = await this.#claimCalls(result, tools, signal);
      if (elsewhere) return elsewhere;
      const onProgress = (/** @type {any} */ content) => this.#handle(progressEvent(content));
      const toolResults = await runCalls(pendingCalls(result), tools, { signal, onProgress });
      return await this.#follow(this.#request({ toolResults }));
    } finally {
      stop();
      if (this.#cancelling) void this.#cancelling.then(free);
      else free();
    }
  }

  /**
   * Claim a run's pending calls. Returns undefined once this client is to run them, and otherwise the
   * result of the turn as another client continued it.
   * @param {RunResult} result
   * @param {ClientTools} tools
   * @param {AbortSignal} signal
   * @returns {Promise<RunResult | undefined>}
   * @throws {RollcallError} They no longer wait.
   */
  async #claimCalls(result, tools, signal) {
    if (!this.#services.access.stored) return undefined;
    const { threadId, runId } = result;
    for (let looks = 1; ; looks++) {
      // The thread's state may be stale; the run's own document then says that it was continued.
      const [state, waiting] = await Promise.all([
        this.#lookUp((stored) => stored.state(threadId, runId), signal),
        this.#lookUp((stored) => stored.waiting(threadId), signal),
      ]);
      if (state?.continuedBy) return this.#follow({ threadId, runId: state.continuedBy });
      if (state?.status === "cancelled") throw cancelledError();
      const isWaiting = waiting?.runId === runId;
      if (isWaiting) {
        if (waiting.isAnswered || waiting.isLate) {
          return (this.#newest = { ...result, outcome: withoutCalls(result.outcome) });
        }
        if (await this.#take(waiting, result, tools, signal)) return undefined;
        if (waiting.takenBy) looks = 0;
      }
      if (looks === LOOKS) break;
      // The read may predate the end of the run.
      await sleep(isWaiting && waiting.takenBy ? TAKEN_MS : LOOK_AGAIN_MS, signal);
      signal.throwIfAborted();
    }
    throw new RollcallError("failed-precondition", "nobody waits for these calls any more", {
      hint: "their time was over, the thread went on, or the deployed rules do not let them be taken",
    });
  }

  /**
   * Claim the calls in Firestore, unless they only read or this client has claimed them before.
   * @param {Waiting} waiting
   * @param {RunResult} result
   * @param {ClientTools} tools
   * @param {AbortSignal} signal
   * @returns {Promise<boolean | undefined>} Whether they may be run here.
   */
  async #take({ takenBy }, result, tools, signal) {
    const { place } = this.#services.locks;
    if (allRead(pendingCalls(result), tools)) return true;
    if (takenBy) return takenBy.place === place;
    return this.#lookUp((stored) => stored.take(result.threadId, result.runId, place), signal);
  }

  /**
   * Stop readers and tools at once, then the run on the server. The turn fails with the reason once
   * the server has released the thread.
   * @param {unknown} reason
   */
  async #stop(reason) {
    this.#stopped.abort(reason);
    this.#events.fail(reason);
    try {
      const status = await Promise.race([
        this.cancel(),
        sleep(STOP_MS, this.#left.signal).then(timedOut),
      ]);
      // Its process still holds the thread's lease: the next message would be refused.
      const ended = this.#turnWork?.catch(() => undefined);
      if (status === "cancelling") await Promise.race([ended, sleep(END_MS, this.#left.signal)]);
      this.#left.abort(reason);
    } catch (cause) {
      const hint = "cancel it by its threadId and runId";
      const message = "the server was not told to stop";
      this.#left.abort(new RollcallError("unavailable", message, { hint, cause }));
    }
  }

  /** Wait until the server knows the run. */
  async #untilBegun() {
    if (this.#hasBegun) return;
    /** @type {() => void} */
    let stop = () => undefined;
    const begun = new Promise((resolve) => {
      stop = this.on("event", ({ type }) => type === "RUN_STARTED" && resolve(undefined));
    });
    await Promise.race([begun, this.result]);
    stop();
  }
}

/** @param {RunResult["outcome"]} outcome */
function withoutCalls({ pendingToolCallIds, ...outcome }) {
  return outcome;
}

function cancelledError() {
  return new RollcallError("cancelled", "this run was cancelled");
}

function timedOut() {
  throw new RollcallError("deadline-exceeded", "the server did not answer in time");
}

/** @param {string} what */
function tooEarly(what) {
  return new RollcallError("failed-precondition", `${what} yet`, {
    hint: "await its result first",
  });
}
