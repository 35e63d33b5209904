/** Unique ids. */
/** 32 hexadecimal digits; `crypto.randomUUID` is missing in pages loaded over plain HTTP. */
export function newId(): string;
/**
 * The id of the run that goes on where this one waits: `r`, `r~1`, `r~2` are the runs of one turn.
 * @param {string} runId
 */
export function nextRunId(runId: string): string;
