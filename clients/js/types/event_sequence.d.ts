/** Checks the numbers of a run's events, so that each is delivered once and in order. */
/** @import { AgentEvent } from "./events.js" */
/**
 * An event's position among those before: the next one, a duplicate, one after a gap, a replacement
 * of an earlier one, or one without a number.
 * @typedef {"next" | "duplicate" | "gap" | "replacement" | "unnumbered"} Position
 */
export class EventSequence {
    /** The number of events so far, which is the number of the next one. */
    get count(): number;
    /**
     * Classify an event, and record it if it is new.
     * @param {AgentEvent} event
     * @returns {Position}
     */
    take(event: AgentEvent): Position;
    #private;
}
/**
 * An event's position among those before: the next one, a duplicate, one after a gap, a replacement
 * of an earlier one, or one without a number.
 */
export type Position = "next" | "duplicate" | "gap" | "replacement" | "unnumbered";
import type { AgentEvent } from "./events.js";
