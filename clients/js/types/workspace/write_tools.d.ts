/**
 * @param {WorkspaceFiles} files
 * @returns {ClientTools}
 */
export function writeTools(files: WorkspaceFiles): ClientTools;
import type { WorkspaceFiles } from "./tools.js";
import type { ClientTools } from "../client_tools.js";
