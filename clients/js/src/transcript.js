/** What a turn has said and done so far, made of its events. */

import { PartialJson } from "./partial_json.js";

/** @import { AgentEvent } from "./events.js" */
/** @import { Path } from "./partial_json.js" */
/** @import { RunResult, ToolCallRecord } from "../types/wire.js" */

/**
 * @typedef {{ id: string, text: string, isWhole: boolean }} Said
 */

/**
 * A tool call. `arguments` grow while they are written; only a call that `isWhole` has them all.
 * `record` is what the run's result says of it, once that is there.
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
 * What was added to a call's arguments: pieces of strings, each with its place.
 * @typedef {{ call: ShownCall, added: { path: Path, text: string }[] }} ArgumentsNews
 */

export class Transcript {
  /** @type {Map<string, Said>} By what they are, so that a second try stands in the first's place. */
  #said = new Map();
  /** @type {Map<string, ShownCall>} */
  #calls = new Map();
  /** @type {Map<string, { reader: PartialJson, added: ArgumentsNews["added"] }>} */
  #readers = new Map();

  /** What the model and the tools said, in order. */
  get messages() {
    return [...this.#said.values()];
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
   * Take the next event in.
   * @param {AgentEvent} event
   * @returns {ArgumentsNews | undefined} What it added to a call's arguments.
   */
  take(event) {
    switch (event.type) {
      case "TEXT_MESSAGE_START":
        this.#replace(event.messageId);
        this.#said.set(keyOf(event.messageId), { id: event.messageId, text: "", isWhole: false });
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
   * A reply that was asked for once more stands in the place of the one that broke off.
   * @param {string} messageId
   */
  #replace(messageId) {
    const key = keyOf(messageId);
    const before = this.#said.get(key);
    if (before && before.id !== messageId) this.#said.delete(key);
    for (const call of this.calls) {
      const isOlder = call.messageId !== undefined && call.messageId !== messageId;
      if (isOlder && keyOf(call.messageId ?? "") === key) this.#calls.delete(call.id);
    }
  }

  /**
   * @param {string} messageId
   * @param {(said: Said) => void} change
   */
  #change(messageId, change) {
    const said = this.#said.get(keyOf(messageId));
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
    /** @type {ArgumentsNews["added"]} */
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
      // A model may write what is no JSON: the server refuses that call, and what came is shown.
      this.#readers.delete(id);
    }
    call.arguments = reading.reader.value;
    return { call, added: reading.added.splice(0) };
  }

  /** @param {string} id */
  #end(id) {
    const reader = this.#readers.get(id)?.reader;
    this.#readers.delete(id);
    // A number at the top is no arguments, so that nothing else than its end is waited for here.
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
 * The ids of a reply's messages tell its run and step; and which try it is, which is left out here.
 * @param {string} messageId
 */
function keyOf(messageId) {
  return messageId.replace(/-(?:again|try)\d+(?=-|$)/g, "");
}
