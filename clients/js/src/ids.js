/** Unique ids. */

/** 32 hexadecimal digits; `crypto.randomUUID` is missing in pages loaded over plain HTTP. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The id of the run that goes on where this one waits: `r`, `r~1`, `r~2` are the runs of one turn.
 * @param {string} runId
 */
export function nextRunId(runId) {
  const [, turn, number] = /^(.+)~([1-9]\d*)$/.exec(runId) ?? [];
  return turn ? `${turn}~${Number(number) + 1}` : `${runId}~1`;
}
