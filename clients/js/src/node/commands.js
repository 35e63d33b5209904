/**
 * Runs commands with /bin/sh in a folder, limited in time and output, without the user's secrets.
 *
 * A command has all rights of the user: it can read files anywhere and use the network. The folder is
 * only its working directory. Whoever approves it must know that; a container confines it.
 */

import { spawn } from "node:child_process";
import { constants } from "node:os";

import { WorkspaceError } from "../workspace/errors.js";
import { translateErrors } from "./system_errors.js";

/** @import { ChildProcess } from "node:child_process" */
/** @import { Ended } from "../workspace/tools.js" */

const HEAD_CHARS = 10_000;
const TAIL_CHARS = 20_000;
const GRACE_MS = 1_000;
/** How long output is read after the command has ended. */
const DRAIN_MS = 500;
/** The locale's variables by name: ssh passes on whatever begins with LC_, so people put secrets there. */
const LOCALE = [
  ...["LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION", "LC_MEASUREMENT"],
  ...["LC_MESSAGES", "LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME"],
];
const INHERITED = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"],
  ...LOCALE,
];
/** Programs that git would run by itself are switched off, and folders that only look like a repository are none. */
const GIT_CONFIG = Object.entries({
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "core.pager": "cat",
  "safe.bareRepository": "explicit",
});
/** Before each command, on its first line: no variable switches external diffs off. */
const GIT_FUNCTION =
  'git() { case "$1" in diff|log|show) rollcall_git=$1; shift; ' +
  'command git "$rollcall_git" --no-ext-diff --no-textconv "$@";; *) command git "$@";; esac; }; ';
const SET = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_CONFIG_COUNT: String(GIT_CONFIG.length),
  ...Object.fromEntries(
    GIT_CONFIG.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
};

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
export async function runCommand(command, { folder, timeoutS, signal, onOutput, environment }) {
  if (process.platform === "win32") throw new WorkspaceError("commands are not run on Windows");
  signal.throwIfAborted();
  const child = spawn("/bin/sh", ["-c", GIT_FUNCTION + command], {
    cwd: folder,
    env: environmentFor(process.env, environment),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true, // a group of its own, so that what it starts can be ended with it
  });
  const output = new Output();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      output.add(text);
      onOutput(text);
    });
  }
  let isLate = false;
  const stop = () => endGroup(child);
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, timeoutS * 1_000);
  signal.addEventListener("abort", stop);
  try {
    const exitCode = await translateErrors("commands cannot be run here", () => exitOf(child));
    signal.throwIfAborted();
    const { text, isCut } = output;
    return isLate ? { output: text, isCut, isLate } : { exitCode, output: text, isCut };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/**
 * What a command has of an environment: no tokens, credentials or agents.
 * @param {NodeJS.ProcessEnv} inherited
 * @param {string[]} allowed
 */
function environmentFor(inherited, allowed) {
  const names = new Set([...INHERITED, ...allowed]);
  const entries = Object.entries(inherited).filter(([name]) => names.has(name));
  const path = (inherited.PATH ?? "").split(":").filter((entry) => entry.startsWith("/"));
  return { ...Object.fromEntries(entries), ...SET, PATH: path.join(":") || "/usr/bin:/bin" };
}

/**
 * Wait for a command's end, and end what it left running.
 * @param {ChildProcess} child
 * @returns {Promise<number>} Its exit code; 128 and more where a signal ended it.
 */
function exitOf(child) {
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(error));
    child.on("exit", (code, signal) => {
      const exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
      const timer = setTimeout(() => resolve(exitCode), DRAIN_MS);
      child.on("close", () => {
        clearTimeout(timer);
        resolve(exitCode);
      });
      kill(child, "SIGKILL");
    });
  });
}

/** @param {ChildProcess} child */
function endGroup(child) {
  kill(child, "SIGTERM");
  setTimeout(
    () => child.exitCode === null && child.signalCode === null && kill(child, "SIGKILL"),
    GRACE_MS,
  );
}

/**
 * @param {ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function kill(child, signal) {
  try {
    if (child.pid) process.kill(-child.pid, signal);
  } catch (error) {
    // All have ended, which macOS tells of those that nobody has waited for yet by the second code.
    const { code = "" } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!["ESRCH", "EPERM"].includes(code)) throw error;
  }
}

/** A command's output: its beginning and its end, without what only a terminal understands. */
class Output {
  #head = "";
  #tail = "";
  #chars = 0;

  get isCut() {
    return this.#chars > HEAD_CHARS + TAIL_CHARS;
  }

  get text() {
    const tail = this.#tail.slice(-TAIL_CHARS);
    const left = this.#chars - this.#head.length - tail.length;
    const remark = left ? `\n… ${left.toLocaleString("en")} characters left out …\n` : "";
    return plain(this.#head + remark + tail);
  }

  /** @param {string} text */
  add(text) {
    this.#chars += text.length;
    const room = HEAD_CHARS - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    if (this.#tail.length > 2 * TAIL_CHARS) this.#tail = this.#tail.slice(-TAIL_CHARS);
  }
}

/** @param {string} text */
function plain(text) {
  const codes = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;
  return text
    .replace(codes, "")
    .replace(/\r\n/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
}
