/** @import { Decision, Interrupt, ResumeEntry } from "../types/wire.js" */
/**
 * Decides an interrupt. Undefined leaves it open, and the turn waiting.
 * @typedef {(interrupt: Interrupt) => Decision | undefined | Promise<Decision | undefined>} Decide
 */
/**
 * Whether this user decides the interrupt, rather than somebody with a role.
 * @param {Interrupt} interrupt
 */
export function isMine(interrupt: Interrupt): boolean;
/**
 * Ask for a decision on each interrupt of this user, one after the other.
 * @param {Interrupt[]} interrupts
 * @param {Decide | undefined} decide
 * @param {AbortSignal} signal
 * @returns {Promise<ResumeEntry[] | undefined>} Undefined if one is left open, or none is this user's.
 */
export function decideAll(interrupts: Interrupt[], decide: Decide | undefined, signal: AbortSignal): Promise<ResumeEntry[] | undefined>;
/**
 * The entries of `resume` for decisions by interrupt id.
 * @param {[string, Decision][]} decisions
 * @returns {ResumeEntry[]}
 */
export function resumeEntries(decisions: [string, Decision][]): ResumeEntry[];
/**
 * Decides an interrupt. Undefined leaves it open, and the turn waiting.
 */
export type Decide = (interrupt: Interrupt) => Decision | undefined | Promise<Decision | undefined>;
import type { Interrupt } from "../types/wire.js";
import type { ResumeEntry } from "../types/wire.js";
import type { Decision } from "../types/wire.js";
