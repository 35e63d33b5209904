/** What this user decides about that which waits. */

import { unlessAborted } from "./waiting.js";

/** @import { Decision, Interrupt, ResumeEntry } from "../types/wire.js" */

/**
 * Decides an interrupt; undefined leaves it, and with it the turn, waiting.
 * @typedef {(interrupt: Interrupt) => Decision | undefined | Promise<Decision | undefined>} Decide
 */

/**
 * Whether the user decides it, and not somebody of a role.
 * @param {Interrupt} interrupt
 */
export function isMine(interrupt) {
  return !interrupt.metadata.decider?.role;
}

/**
 * Ask about each that is this user's, one after the other.
 * @param {Interrupt[]} interrupts
 * @param {Decide | undefined} decide
 * @param {AbortSignal} signal
 * @returns {Promise<ResumeEntry[] | undefined>} Undefined where one is left open, or none is theirs.
 */
export async function decided(interrupts, decide, signal) {
  const mine = interrupts.filter(isMine);
  if (!mine.length || !decide) return undefined;
  /** @type {[string, Decision][]} */
  const decisions = [];
  for (const interrupt of mine) {
    const decision = await unlessAborted(decide(interrupt), signal);
    if (!decision) return undefined;
    decisions.push([interrupt.id, decision]);
  }
  return entries(decisions);
}

/**
 * Decisions by the ids of their interrupts, as they are sent.
 * @param {[string, Decision][]} decisions
 * @returns {ResumeEntry[]}
 */
export function entries(decisions) {
  return decisions.map(([interruptId, payload]) => ({ interruptId, status: "resolved", payload }));
}
