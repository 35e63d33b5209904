export { WorkspaceError } from "./errors.js";
export { MemoryFiles } from "./memory.js";
export { workspaceTools } from "./tools.js";
export type Ended = import("./tools.js").Ended;
export type Entry = import("./tools.js").Entry;
export type WorkspaceFiles = import("./tools.js").WorkspaceFiles;
