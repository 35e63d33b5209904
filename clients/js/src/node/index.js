/** A folder of the disk as a workspace, for Node. */

export { DiskFiles } from "./files.js";
