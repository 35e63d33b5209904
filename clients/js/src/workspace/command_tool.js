/** The tool `run_command`, for file systems that run commands. */

import { WorkspaceError } from "./errors.js";

/** @import { ClientTools } from "../client_tools.js" */
/** @import { WorkspaceFiles } from "./tools.js" */

const MAX_CHARS = 4_000;
/** Characters that the person who approves a command cannot see. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * @param {WorkspaceFiles} files
 * @returns {ClientTools}
 */
export function commandTool(files) {
  if (!files.run) return {};
  const run = files.run.bind(files);
  return {
    run_command: async ({ command, timeoutS = 60 }, { signal, progress }) => {
      check(command);
      const started = performance.now();
      const onOutput = (/** @type {string} */ text) =>
        progress(text.trimEnd().split("\n").at(-1) ?? "");
      const { exitCode, output, isCut, isLate } = await run(command, {
        timeoutS,
        signal,
        onOutput,
      });
      const ms = Math.round(performance.now() - started);
      return {
        command,
        ...(exitCode !== undefined && { exitCode }),
        output,
        ...(isCut && { truncated: true }),
        ...(isLate && { timedOut: true }),
        ms,
      };
    },
  };
}

/** @param {string} command */
function check(command) {
  if (!command.trim()) throw new WorkspaceError("command: it is empty");
  if (command.length > MAX_CHARS)
    throw new WorkspaceError(`command: longer than ${MAX_CHARS} characters`);
  if (INVISIBLE.test(command.replace(/[\n\t]/g, ""))) {
    throw new WorkspaceError("command: it has characters that nobody sees who approves it");
  }
}
