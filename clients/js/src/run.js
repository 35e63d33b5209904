/** A turn as it happens: streamed, continued with what this client answers, up to its end. */

import { Channel } from "./channel.js";
import { allRead, answer, pendingCalls } from "./client_tools.js";
import { Course, PATIENCE } from "./course.js";
import { decided, entries, isMine } from "./decisions.js";
import { RollcallError } from "./errors.js";
import { progress } from "./events.js";
import { newId, nextRunId } from "./ids.js";
import { Listening } from "./listening.js";
import { Transcript } from "./transcript.js";
import { insist, sleep, unlessAborted } from "./waiting.js";

/** @import { ClientTools } from "./client_tools.js" */
/** @import { Ways } from "./course.js" */
/** @import { Decide } from "./decisions.js" */
/** @import { AgentEvent } from "./events.js" */
/** @import { Listeners } from "./listening.js" */
/** @import { Locks } from "./locks.js" */
/** @import { Waiting } from "./stored.js" */
/** @import { ClientToolResult, Decision, Interrupt, MediaPart, RunRequest, RunResult, TextPart } from "../types/wire.js" */

/** @typedef {Omit<Decision, "approved">} Remarks */

/**
 * What goes through a whole turn, and on to those that follow it.
 * @typedef {object} Habits
 * @property {ClientTools} [clientTools] Tools of the agent that run here, by their names.
 * @property {Decide} [decide] Asked about each interrupt. Without it a turn ends where one waits.
 * @property {AbortSignal} [signal] Stops the run, here and on the server.
 * @property {RunRequest["context"]} [context] What the user has before them, as it is asked.
 */

/**
 * Where a run comes from: one that `isWatched` was begun elsewhere, one that `isNamed` has an id of
 * the app's own and may have been begun before. Either may have gone on since.
 * @typedef {{ isWatched?: boolean, isNamed?: boolean }} Origin
 */

/**
 * What a run needs of its Rollcall.
 * @typedef {object} Home
 * @property {Ways} ways
 * @property {string} clientId
 * @property {Locks} locks
 * @property {(name: string, data: object) => Promise<any>} call
 */

/** How long a stop may take to reach the server, in ms. */
const STOP_MS = 10_000;
/** How long a run that was told to stop may take to end, in ms: it notices within two seconds. */
const END_MS = 4000;
/** So often it is looked whether a run's calls still wait, before it is believed that they do not. */
const LOOKS = 4;
const LOOK_AGAIN_MS = 500;
/** So often it is looked whether calls are answered that another process or browser has taken. */
const TAKEN_MS = 2000;

/** @implements {AsyncIterable<AgentEvent>} */
export class Run {
  #home;
  #first;
  #habits;
  /** @type {Channel<AgentEvent>} */
  #events = new Channel();
  #transcript = new Transcript();
  #listening = new Listening();
  #leaving = new AbortController();
  /** Stops the client's tools. */
  #stopping = new AbortController();
  /** Until the server has been told of a stop. @type {Promise<unknown> | undefined} */
  #cancelling;
  /** Whether the server knows the run. */
  #hasBegun = false;
  /** Whether the newest run was over before it was asked for here. */
  #isRetold = false;
  /** @type {RunResult | undefined} The newest, of whichever run of the turn. */
  #newest;
  /** The turn's work, from its first run to its end. @type {Promise<RunResult> | undefined} */
  #turning;
  /** Whether a run is told that has no result yet. */
  #isUnderway = false;
  /** @type {Map<string, Decision>} */
  #decisions = new Map();
  /** The turn as it went on with an answer: there is one answer. @type {Run | undefined} */
  #next;

  /** The thread; undefined until the server has told it. @type {string | undefined} */
  threadId;
  /** The run of the turn that goes on now. @type {string} */
  runId;
  /** What the turn has come to: its end, or where it waits. @type {Promise<RunResult>} */
  result;

  /**
   * @param {Home} home
   * @param {RunRequest & { runId: string }} request
   * @param {Habits} habits
   * @param {Origin} [origin]
   */
  constructor(home, request, habits, origin = {}) {
    this.#home = home;
    this.#first = request;
    this.#habits = habits;
    this.threadId = request.threadId;
    this.runId = request.runId;
    this.result = this.#work(origin);
    this.result.catch(() => undefined); // who reads the events is told as well
  }

  /** The answer so far; in the end the whole. */
  get text() {
    return (!this.#isUnderway && this.#newest?.message) || this.#transcript.text;
  }

  /** What the model and its tools said, in order. */
  get messages() {
    return this.#transcript.messages;
  }

  /** The tool calls so far, in order. */
  get calls() {
    return this.#transcript.calls;
  }

  /** What waits for a decision; nothing while the turn goes on. */
  get interrupts() {
    return (!this.#isUnderway && this.#newest?.outcome.interrupts) || [];
  }

  /** The first reader is given every event of the turn, a later one those that follow. */
  [Symbol.asyncIterator]() {
    return this.#events[Symbol.asyncIterator]();
  }

  /**
   * Be told as it happens.
   * @template {keyof Listeners} Name
   * @param {Name} name
   * @param {Listeners[Name]} listener
   * @returns {() => void} Stops it.
   */
  on(name, listener) {
    return this.#listening.on(name, listener);
  }

  /**
   * Stop the run. It ends by itself, with the outcome "cancelled" and what was said so far; one
   * that is at this client's tools or decisions stops these, and fails with the code "cancelled".
   * @returns {Promise<string>} What the server answers: "cancelling", "cancelled", or how it had
   *   ended before.
   */
  async cancel() {
    const cancelling = this.#cancel();
    this.#cancelling = cancelling.catch(() => undefined);
    this.#stopping.abort(cancelled());
    return cancelling;
  }

  /** Watch no longer: the run goes on without this client, and its client tools wait. */
  leave() {
    this.#leaving.abort(new RollcallError("cancelled", "this run was left; it goes on by itself"));
  }

  /**
   * Say yes to an interrupt.
   * @param {Interrupt} interrupt
   * @param {Remarks} [remarks]
   * @returns {Run | undefined} The turn as it goes on; undefined while others are undecided.
   */
  approve(interrupt, remarks = {}) {
    return this.#decided(interrupt, { approved: true, ...remarks });
  }

  /**
   * Say no to an interrupt.
   * @param {Interrupt} interrupt
   * @param {string} [reason] Told to the model.
   * @returns {Run | undefined}
   */
  reject(interrupt, reason) {
    return this.#decided(interrupt, { approved: false, ...(reason && { reason }) });
  }

  /**
   * Answer everything that waits at once.
   * @param {Record<string, Decision>} decisions By the ids of the interrupts.
   * @returns {Run} The turn as it goes on.
   * @throws {RollcallError} It was answered before.
   */
  resume(decisions) {
    return this.#answered({ resume: entries(Object.entries(decisions)) });
  }

  /**
   * Answer calls that were left to this client, where no handlers did.
   * @param {ClientToolResult[]} toolResults One for each pending call.
   * @returns {Run} The turn as it goes on.
   * @throws {RollcallError} It was answered before.
   */
  answer(toolResults) {
    return this.#answered({ toolResults });
  }

  /** Ask the same once more; the new answer takes this one's place. */
  retry() {
    return this.#after({ retry: this.#ended().turnId });
  }

  /**
   * Ask something else instead; this turn stays in the log, and is told to no model any more.
   * @param {string | (TextPart | MediaPart)[]} message
   */
  edit(message) {
    return this.#after({ message, replaces: this.#ended().turnId });
  }

  /**
   * Say what the answer was worth; null takes that back.
   * @param {"up" | "down" | null} rating
   * @param {string} [comment]
   */
  async rate(rating, comment) {
    const { threadId, runId } = this.#ended();
    await this.#home.call("rate_message", { threadId, runId, rating, ...(comment && { comment }) });
  }

  /**
   * @param {Interrupt} interrupt
   * @param {Decision} decision
   */
  #decided(interrupt, decision) {
    if (this.#next) return this.#next; // a second click
    this.#decisions.set(interrupt.id, decision);
    const isOpen = this.interrupts.some((each) => isMine(each) && !this.#decisions.has(each.id));
    if (isOpen) return undefined;
    const decisions = Object.fromEntries(this.#decisions);
    this.#decisions.clear();
    return this.resume(decisions);
  }

  /**
   * Go on with an answer: the first one counts, unless it was refused.
   * @param {Partial<RunRequest>} input
   */
  #answered(input) {
    if (this.#next) {
      const hint = "go on with the run that the answer returned";
      throw new RollcallError("failed-precondition", "this run was answered already", { hint });
    }
    const next = this.#after(input);
    this.#next = next;
    next.result.catch(() => (this.#next = undefined));
    return next;
  }

  async #cancel() {
    await this.#begun();
    const { threadId, runId } = this;
    return (await this.#home.call("cancel_run", { threadId, runId })).status;
  }

  /** @param {Partial<RunRequest>} input */
  #after(input) {
    this.#ended();
    return new Run(this.#home, this.#request(input), this.#habits);
  }

  #ended() {
    if (!this.#newest) throw tooEarly("the run has not ended");
    return this.#newest;
  }

  /**
   * The next run of the thread, asked with another input.
   * @param {Partial<RunRequest>} input
   */
  #request(input) {
    const { agent, clientId, clientTools, locale } = this.#first;
    const { threadId } = this;
    // An answer's run is named, so that it is one run however often it is sent.
    const waiting = input.resume || input.toolResults ? this.#newest : undefined;
    const about = waiting
      ? { runId: nextRunId(waiting.runId) }
      : { runId: newId(), context: this.#habits.context };
    return { agent, clientId, clientTools, locale, threadId, ...about, ...input };
  }

  /**
   * Work until the turn ends or the user stops it.
   * @param {Origin} origin
   */
  async #work(origin) {
    const { signal } = this.#habits;
    const stop = () => void this.#stop(signal?.reason);
    signal?.addEventListener("abort", stop);
    try {
      signal?.throwIfAborted();
      this.#turning = this.#turn(origin);
      const result = await unlessAborted(this.#turning, this.#leaving.signal);
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
      if (this.#isRetold && !this.#home.ways.stored) return result;
    }
    for (let next; (next = await this.#goOn(result));) result = next;
    return result;
  }

  /**
   * The run that went on where this one waited: its calls were answered, and are not run again.
   * @param {RunResult} result
   */
  async #continuedBy({ threadId, runId }) {
    const { signal } = this.#leaving;
    return (await this.#lookUp((stored) => stored.state(threadId, runId), signal))?.continuedBy;
  }

  /**
   * Look something up, where Firestore is at hand, as soon as it can be reached.
   * @template T
   * @param {(stored: NonNullable<Ways["stored"]>) => Promise<T>} read
   * @param {AbortSignal} signal
   */
  async #lookUp(read, signal) {
    const { stored, patience = PATIENCE } = this.#home.ways;
    return stored && insist(() => read(stored), patience, signal);
  }

  /**
   * One run's events, and its result.
   * @param {RunRequest | { threadId: string, runId: string }} request
   */
  async #follow(request) {
    this.runId = request.runId ?? this.runId;
    this.#hasBegun = !("agent" in request);
    const course = new Course(this.#home.ways, request, this.#leaving.signal);
    const events = course.events();
    let next = await events.next();
    for (; !next.done; next = await events.next()) this.#tell(next.value);
    const result = next.value;
    this.#isRetold = course.isRetold;
    this.#newest = result;
    this.#isUnderway = false;
    this.threadId = result.threadId;
    this.#hasBegun = true;
    return result;
  }

  /** @param {AgentEvent} event */
  #tell(event) {
    if (event.type === "RUN_STARTED") {
      [this.threadId, this.runId, this.#hasBegun] = [event.threadId, event.runId, true];
      this.#isUnderway = true;
    }
    const news = this.#transcript.take(event);
    this.#events.push(event);
    this.#listening.tell("event", event);
    if (event.type === "TEXT_MESSAGE_CONTENT") {
      const { messageId, delta } = event;
      this.#listening.tell("text", { messageId, delta, text: this.#transcript.text });
    }
    if (news) this.#listening.tell("arguments", news);
  }

  /**
   * Answer a run that waits: what the turn comes to then. Undefined where this client leaves it
   * waiting, or the turn is at its end.
   * @param {RunResult} result
   * @returns {Promise<RunResult | undefined>}
   */
  async #goOn(result) {
    const { clientTools = {}, decide } = this.#habits;
    const { interrupts = [], pendingToolCallIds = [] } = result.outcome;
    if (pendingToolCallIds.length && Object.keys(clientTools).length) {
      return this.#answerCalls(result, clientTools);
    }
    const resume = await decided(interrupts, decide, this.#stopping.signal);
    return resume && this.#follow(this.#request({ resume }));
  }

  /**
   * Run the calls that were left to this client, and go on with their results. Of several that
   * follow the run, one does: among those that share locks whoever is first, and among others who
   * has taken the calls in Firestore. Who took them and died answers nothing: the server then ends
   * the wait, and the turn goes on without results.
   * @param {RunResult} result
   * @param {ClientTools} tools
   * @returns {Promise<RunResult>}
   */
  async #answerCalls(result, tools) {
    const signal = AbortSignal.any([this.#leaving.signal, this.#stopping.signal]);
    const free = await this.#home.locks.take(`rollcall ${result.threadId} ${result.runId}`, signal);
    // Held until the server has the results, so that nobody runs the calls meanwhile.
    const stop = this.on("event", ({ type }) => type === "RUN_STARTED" && free());
    try {
      const elsewhere = await this.#answeredElsewhere(result, tools, signal);
      if (elsewhere) return elsewhere;
      const onProgress = (/** @type {any} */ content) => this.#tell(progress(content));
      const toolResults = await answer(pendingCalls(result), tools, { signal, onProgress });
      return await this.#follow(this.#request({ toolResults }));
    } finally {
      stop();
      if (this.#cancelling) void this.#cancelling.then(free);
      else free();
    }
  }

  /**
   * What the turn came to if the calls of a run do not wait any more, or were taken elsewhere;
   * undefined once this client is to run them.
   * @param {RunResult} result
   * @param {ClientTools} tools
   * @param {AbortSignal} signal
   * @returns {Promise<RunResult | undefined>}
   * @throws {RollcallError} They were given up.
   */
  async #answeredElsewhere(result, tools, signal) {
    if (!this.#home.ways.stored) return undefined;
    const { threadId, runId } = result;
    for (let looks = 1; ; looks++) {
      // What the thread waits for may be told late; the run itself then says that it went on.
      const [state, waiting] = await Promise.all([
        this.#lookUp((stored) => stored.state(threadId, runId), signal),
        this.#lookUp((stored) => stored.waiting(threadId), signal),
      ]);
      if (state?.continuedBy) return this.#follow({ threadId, runId: state.continuedBy });
      if (state?.status === "cancelled") throw cancelled();
      const isWaiting = waiting?.runId === runId;
      if (isWaiting) {
        if (waiting.isAnswered || waiting.isLate) {
          return (this.#newest = { ...result, outcome: withoutCalls(result.outcome) });
        }
        if (await this.#take(waiting, result, tools, signal)) return undefined;
        if (waiting.takenBy) looks = 0;
      }
      if (looks === LOOKS) break;
      // What was read may be of before the run ended.
      await sleep(isWaiting && waiting.takenBy ? TAKEN_MS : LOOK_AGAIN_MS, signal);
      signal.throwIfAborted();
    }
    throw new RollcallError("failed-precondition", "nobody waits for these calls any more", {
      hint: "their time was over, the thread went on, or the deployed rules do not let them be taken",
    });
  }

  /**
   * Take the calls of a run, unless they only read, or were taken here before.
   * @param {Waiting} waiting
   * @param {RunResult} result
   * @param {ClientTools} tools
   * @param {AbortSignal} signal
   * @returns {Promise<boolean | undefined>} Whether they may be run here.
   */
  async #take({ takenBy }, result, tools, signal) {
    const { place } = this.#home.locks;
    if (allRead(pendingCalls(result), tools)) return true;
    if (takenBy) return takenBy.place === place;
    return this.#lookUp((stored) => stored.take(result.threadId, result.runId, place), signal);
  }

  /**
   * End for the readers and the tools at once, and then on the server; the turn fails with the
   * reason once the server has let go of the thread.
   * @param {unknown} reason
   */
  async #stop(reason) {
    this.#stopping.abort(reason);
    this.#events.fail(reason);
    try {
      const status = await Promise.race([
        this.cancel(),
        sleep(STOP_MS, this.#leaving.signal).then(untold),
      ]);
      // Its process still holds the thread: the next message would be refused.
      const ended = this.#turning?.catch(() => undefined);
      if (status === "cancelling") await Promise.race([ended, sleep(END_MS, this.#leaving.signal)]);
      this.#leaving.abort(reason);
    } catch (cause) {
      const hint = "cancel it by its threadId and runId";
      const message = "the server was not told to stop";
      this.#leaving.abort(new RollcallError("unavailable", message, { hint, cause }));
    }
  }

  /** Wait until the server knows the run. */
  async #begun() {
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

function cancelled() {
  return new RollcallError("cancelled", "this run was cancelled");
}

function untold() {
  throw new RollcallError("deadline-exceeded", "the server did not answer in time");
}

/** @param {string} what */
function tooEarly(what) {
  return new RollcallError("failed-precondition", `${what} yet`, {
    hint: "await its result first",
  });
}
