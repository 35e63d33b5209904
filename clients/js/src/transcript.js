/** The messages and tool calls of a turn, built from its events. */

import { PartialJson } from "./partial_json.js";

/** @import { AgentEvent } from "./events.js" */
/** @import { Path } from "./partial_json.js" */
/** @import { RunResult, ToolCallRecord } from "../types/wire.js" */

/**
 * @typedef {{ id: string, text: string, isWhole: boolean }} TextMessage
 */

/**
 * A tool call. `arguments` grow while they stream; they are complete once it `isWhole`. `record` is
 * the call's record from the run's result, once there is one.
 * @typedef {object} ShownCall
 * @property {string} id
 * @property {string} tool
 * @property {string | undefined} messageId
 * @property {any} arguments
 * @property {boolean} isWhole
 * @property {string} [result] What it answered, as text.
 * @property {{ text: string, done?: number, total?: number }} [progress]
 * @property {ToolCallRecord} [record]
 */

/**
 * An addition to a call's arguments: parts of strings, each with its path.
 * @typedef {{ call: ShownCall, added: { path: Path, text: string }[] }} ArgumentsDelta
 */

export class Transcript {
  /** @type {Map<string, TextMessage>} By a key without the attempt, so that a retry replaces the message. */
  #messages = new Map();
  /** @type {Map<string, ShownCall>} */
  #calls = new Map();
  /** @type {Map<string, { reader: PartialJson, added: ArgumentsDelta["added"] }>} */
  #readers = new Map();

  /** The messages of the model and the tools, in order. */
  get messages() {
    return [...this.#messages.values()];
  }

  /** The tool calls, in order. */
  get calls() {
    return [...this.#calls.values()];
  }

  /** The newest message's text. */
  get text() {
    return this.messages.at(-1)?.text ?? "";
  }

  /**
   * Apply the next event.
   * @param {AgentEvent} event
   * @returns {ArgumentsDelta | undefined} What it added to a call's arguments.
   */
  take(event) {
    switch (event.type) {
      case "TEXT_MESSAGE_START":
        this.#replace(event.messageId);
        this.#messages.set(keyOf(event.messageId), { id: event.messageId, text: "", isWhole: false });
        return;
      case "TEXT_MESSAGE_CONTENT":
        this.#change(event.messageId, (said) => (said.text += event.delta));
        return;
      case "TEXT_MESSAGE_END":
        this.#change(event.messageId, (said) => (said.isWhole = true));
        return;
      case "TOOL_CALL_START":
        if (event.parentMessageId) this.#replace(event.parentMessageId);
        this.#begin(event.toolCallId, event.toolCallName, event.parentMessageId);
        return;
      case "TOOL_CALL_ARGS":
        return this.#argue(event.toolCallId, event.delta);
      case "TOOL_CALL_END":
        this.#end(event.toolCallId);
        return;
      case "TOOL_CALL_RESULT":
        this.#changeCall(event.toolCallId, (call) => (call.result = event.content));
        return;
      case "ACTIVITY_SNAPSHOT":
        this.#changeCall(event.content.toolCallId, (call) => (call.progress = event.content));
        return;
      case "RUN_FINISHED":
        this.#settle(event.result);
        return;
      default:
        return;
    }
  }

  /**
   * Let a retried reply replace the one that broke off.
   * @param {string} messageId
   */
  #replace(messageId) {
    const key = keyOf(messageId);
    const before = this.#messages.get(key);
    if (before && before.id !== messageId) this.#messages.delete(key);
    for (const call of this.calls) {
      const isOlder = call.messageId !== undefined && call.messageId !== messageId;
      if (isOlder && keyOf(call.messageId ?? "") === key) this.#calls.delete(call.id);
    }
  }

  /**
   * @param {string} messageId
   * @param {(said: TextMessage) => void} change
   */
  #change(messageId, change) {
    const said = this.#messages.get(keyOf(messageId));
    if (said?.id === messageId) change(said);
  }

  /**
   * @param {string} id
   * @param {(call: ShownCall) => void} change
   */
  #changeCall(id, change) {
    const call = this.#calls.get(id);
    if (call) change(call);
  }

  /**
   * @param {string} id
   * @param {string} tool
   * @param {string | undefined} messageId
   */
  #begin(id, tool, messageId) {
    this.#calls.set(id, { id, tool, messageId, arguments: undefined, isWhole: false });
    /** @type {ArgumentsDelta["added"]} */
    const added = [];
    const onText = (/** @type {Path} */ path, /** @type {string} */ text) =>
      added.push({ path, text });
    this.#readers.set(id, { reader: new PartialJson({ onText }), added });
  }

  /**
   * @param {string} id
   * @param {string} delta
   */
  #argue(id, delta) {
    const call = this.#calls.get(id);
    const reading = this.#readers.get(id);
    if (!call || !reading) return;
    try {
      reading.reader.push(delta);
    } catch {
      // A model may write invalid JSON: the server refuses that call, and the valid part is shown.
      this.#readers.delete(id);
    }
    call.arguments = reading.reader.value;
    return { call, added: reading.added.splice(0) };
  }

  /** @param {string} id */
  #end(id) {
    const reader = this.#readers.get(id)?.reader;
    this.#readers.delete(id);
    // Arguments are never a bare number, whose end only the end of the text shows.
    this.#changeCall(id, (call) => (call.isWhole = reader?.isWhole ?? false));
  }

  /** @param {RunResult} result */
  #settle(result) {
    for (const record of result.toolCalls) {
      if (!this.#calls.has(record.id)) this.#begin(record.id, record.tool, undefined);
      this.#readers.delete(record.id);
      const known = { arguments: record.arguments, isWhole: true, record };
      this.#changeCall(record.id, (call) => Object.assign(call, known));
    }
  }
}

/**
 * The id of a reply's message without its attempt number: its run and step.
 * @param {string} messageId
 */
function keyOf(messageId) {
  return messageId.replace(/-(?:again|try)\d+(?=-|$)/g, "");
}
