/**
 * @param {string} command
 * @param {object} options
 * @param {string} options.folder
 * @param {number} options.timeoutS
 * @param {AbortSignal} options.signal
 * @param {(text: string) => void} options.onOutput
 * @param {string[]} options.environment Names of variables that it has beside a harmless few.
 * @returns {Promise<Ended>}
 */
export function runCommand(command: string, { folder, timeoutS, signal, onOutput, environment }: {
    folder: string;
    timeoutS: number;
    signal: AbortSignal;
    onOutput: (text: string) => void;
    environment: string[];
}): Promise<Ended>;
import type { Ended } from "../workspace/tools.js";
