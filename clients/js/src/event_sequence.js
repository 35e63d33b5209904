/** Checks the numbers of a run's events, so that each is delivered once and in order. */

/** @import { AgentEvent } from "./events.js" */

/**
 * An event's position among those before: the next one, a duplicate, one after a gap, a replacement
 * of an earlier one, or one without a number.
 * @typedef {"next" | "duplicate" | "gap" | "replacement" | "unnumbered"} Position
 */

export class EventSequence {
  /** @type {number[]} A digest of each event, by its number. */
  #digests = [];

  /** The number of events so far, which is the number of the next one. */
  get count() {
    return this.#digests.length;
  }

  /**
   * Classify an event, and record it if it is new.
   * @param {AgentEvent} event
   * @returns {Position}
   */
  take(event) {
    const n = event.metadata?.n;
    if (typeof n !== "number") return "unnumbered";
    if (n > this.count) return "gap";
    const digest = digestOf(event);
    if (n === this.count) {
      this.#digests.push(digest);
      return "next";
    }
    if (this.#digests[n] === digest) return "duplicate";
    this.#digests.length = n;
    this.#digests.push(digest);
    return "replacement";
  }
}

/**
 * A 32-bit hash of an event, without metadata and result, which stored events may lack.
 * @param {AgentEvent} event
 */
function digestOf(event) {
  const text = JSON.stringify({ ...event, metadata: null, result: null });
  let digest = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    digest = Math.imul(digest ^ text.charCodeAt(at), 0x01000193);
  }
  return digest;
}
