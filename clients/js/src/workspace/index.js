/** The tools of the `workspace` agent, over a file system of yours. */

export { WorkspaceError } from "./errors.js";
export { MemoryFiles } from "./memory.js";
export { workspaceTools } from "./tools.js";

/** @typedef {import("./tools.js").Ended} Ended */
/** @typedef {import("./tools.js").Entry} Entry */
/** @typedef {import("./tools.js").WorkspaceFiles} WorkspaceFiles */
