// A server and a store in memory, which lose the events that a test names.

import { RollcallError } from "../src/errors.js";

/** What Firebase's SDK throws when the network is gone. */
export function networkError() {
  return Object.assign(new Error("internal [0]"), { code: "functions/internal" });
}

/** What it throws when the functions refuse. */
export function refusal(code, message = "no", more = {}) {
  return Object.assign(new Error(message), {
    code: `functions/${code}`,
    details: { code, ...more },
  });
}

export function numbered(events) {
  return events.map((event, n) => ({ ...event, metadata: { n } }));
}

export function resultOf(fields = {}) {
  return {
    threadId: "t",
    turnId: "r",
    runId: "r",
    agent: "a",
    type: "info",
    message: "Hello there",
    outcome: { type: "success" },
    quickReplies: [],
    toolCalls: [],
    citations: [],
    steps: 1,
    usage: [],
    ...fields,
  };
}

/** The events of a run that says its message in words, with its numbers. */
export function runOf(result = resultOf()) {
  const { threadId, runId } = result;
  const messageId = `${runId}-1`;
  return numbered([
    { type: "RUN_STARTED", threadId, runId },
    { type: "STEP_STARTED", stepName: "step-1" },
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    ...result.message
      .match(/\S+\s*/g)
      .map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })),
    { type: "TEXT_MESSAGE_END", messageId },
    { type: "STEP_FINISHED", stepName: "step-1" },
    { type: "RUN_FINISHED", threadId, runId, result, outcome: result.outcome },
  ]);
}

/** A store that has these events; those past `shown` come a moment later. */
export function storing(events, { shown = events.length, state = "running", quiet = false } = {}) {
  const result = events.at(-1)?.result;
  return {
    reads: 0,
    async *follow(threadId, runId, signal) {
      this.reads += 1;
      yield* events.slice(0, shown);
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (!quiet) yield* events.slice(shown);
      if (!signal.aborted)
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    async events() {
      this.reads += 1;
      return events.slice(0, shown);
    },
    async state() {
      return state === "done" ? { status: state, result } : { status: state };
    },
  };
}

/**
 * Streams, one for each time that one is asked for; the last one again and again. Each is a list of
 * events, and of errors to throw; one that ends in neither result nor error is a lost connection.
 */
export function streaming(...streams) {
  const asked = [];
  async function* stream(data, signal) {
    asked.push(data);
    const items = streams[Math.min(asked.length, streams.length) - 1];
    for (const item of items) {
      signal.throwIfAborted();
      if (item instanceof Error) throw item;
      if (item === "hang")
        await new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      if (item.turnId) return item;
      yield item;
    }
    throw new RollcallError("unavailable", "the connection ended before the run did");
  }
  return { stream, asked };
}

/** The part of Web Locks that is used here: one holder at a time, and aborts while waiting. */
export class WebLocks {
  #last = new Map();

  async request(name, { signal }, work) {
    signal.throwIfAborted();
    const before = this.#last.get(name);
    let done;
    this.#last.set(name, Promise.all([before, new Promise((resolve) => (done = resolve))]));
    try {
      await Promise.race([
        before,
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        ),
      ]);
      return await work({ name });
    } finally {
      done();
    }
  }
}

/** Make something in a page that has these locks. */
export function withWebLocks(make, locks = new WebLocks()) {
  const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  try {
    return make();
  } finally {
    if (own) Object.defineProperty(globalThis, "navigator", own);
    else delete globalThis.navigator;
  }
}

export const RETRY_POLICY = { quiet: 30, most: 5_000, pause: 1 };
