/** What has been seen of one run's events, so that each is passed on once, and none is missed. */
/** @import { AgentEvent } from "./events.js" */
/**
 * What an event is, beside those seen before: the next one; one that was seen; one that other
 * events are missing before; one that stands in another's place; or one without a number.
 * @typedef {"next" | "seen" | "gap" | "other" | "unnumbered"} Standing
 */
export class Seen {
    /** How many were seen, which is the number of the next. */
    get count(): number;
    /**
     * Look at an event, and count it if it is the next or another in one's place.
     * @param {AgentEvent} event
     * @returns {Standing}
     */
    take(event: AgentEvent): Standing;
    #private;
}
/**
 * What an event is, beside those seen before: the next one; one that was seen; one that other
 * events are missing before; one that stands in another's place; or one without a number.
 */
export type Standing = "next" | "seen" | "gap" | "other" | "unnumbered";
import type { AgentEvent } from "./events.js";
