/** The user's decisions on a run's interrupts. */

import { unlessAborted } from "./retry.js";

/** @import { Decision, Interrupt, ResumeEntry } from "../types/wire.js" */

/**
 * Decides an interrupt. Undefined leaves it open, and the turn waiting.
 * @typedef {(interrupt: Interrupt) => Decision | undefined | Promise<Decision | undefined>} Decide
 */

/**
 * Whether this user decides the interrupt, rather than somebody with a role.
 * @param {Interrupt} interrupt
 */
export function isMine(interrupt) {
  return !interrupt.metadata.decider?.role;
}

/**
 * Ask for a decision on each interrupt of this user, one after the other.
 * @param {Interrupt[]} interrupts
 * @param {Decide | undefined} decide
 * @param {AbortSignal} signal
 * @returns {Promise<ResumeEntry[] | undefined>} Undefined if one is left open, or none is this user's.
 */
export async function decideAll(interrupts, decide, signal) {
  const mine = interrupts.filter(isMine);
  if (!mine.length || !decide) return undefined;
  /** @type {[string, Decision][]} */
  const decisions = [];
  for (const interrupt of mine) {
    const decision = await unlessAborted(decide(interrupt), signal);
    if (!decision) return undefined;
    decisions.push([interrupt.id, decision]);
  }
  return resumeEntries(decisions);
}

/**
 * The entries of `resume` for decisions by interrupt id.
 * @param {[string, Decision][]} decisions
 * @returns {ResumeEntry[]}
 */
export function resumeEntries(decisions) {
  return decisions.map(([interruptId, payload]) => ({ interruptId, status: "resolved", payload }));
}
