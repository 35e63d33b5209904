/** @import { Decision, Interrupt, ResumeEntry } from "../types/wire.js" */
/**
 * Decides an interrupt; undefined leaves it, and with it the turn, waiting.
 * @typedef {(interrupt: Interrupt) => Decision | undefined | Promise<Decision | undefined>} Decide
 */
/**
 * Whether the user decides it, and not somebody of a role.
 * @param {Interrupt} interrupt
 */
export function isMine(interrupt: Interrupt): boolean;
/**
 * Ask about each that is this user's, one after the other.
 * @param {Interrupt[]} interrupts
 * @param {Decide | undefined} decide
 * @param {AbortSignal} signal
 * @returns {Promise<ResumeEntry[] | undefined>} Undefined where one is left open, or none is theirs.
 */
export function decided(interrupts: Interrupt[], decide: Decide | undefined, signal: AbortSignal): Promise<ResumeEntry[] | undefined>;
/**
 * Decisions by the ids of their interrupts, as they are sent.
 * @param {[string, Decision][]} decisions
 * @returns {ResumeEntry[]}
 */
export function entries(decisions: [string, Decision][]): ResumeEntry[];
/**
 * Decides an interrupt; undefined leaves it, and with it the turn, waiting.
 */
export type Decide = (interrupt: Interrupt) => Decision | undefined | Promise<Decision | undefined>;
import type { Interrupt } from "../types/wire.js";
import type { ResumeEntry } from "../types/wire.js";
import type { Decision } from "../types/wire.js";
