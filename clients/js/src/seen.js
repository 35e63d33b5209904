/** What has been seen of one run's events, so that each is passed on once, and none is missed. */

/** @import { AgentEvent } from "./events.js" */

/**
 * What an event is, beside those seen before: the next one; one that was seen; one that other
 * events are missing before; one that stands in another's place; or one without a number.
 * @typedef {"next" | "seen" | "gap" | "other" | "unnumbered"} Standing
 */

export class Seen {
  /** @type {number[]} A digest of each event, by its number. */
  #digests = [];

  /** How many were seen, which is the number of the next. */
  get count() {
    return this.#digests.length;
  }

  /**
   * Look at an event, and count it if it is the next or another in one's place.
   * @param {AgentEvent} event
   * @returns {Standing}
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
    if (this.#digests[n] === digest) return "seen";
    this.#digests.length = n;
    this.#digests.push(digest);
    return "other";
  }
}

/**
 * 32 bits of an event's text, without what is told of it and a large result: the stored event has
 * neither.
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
