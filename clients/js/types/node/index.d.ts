export { DiskFiles } from "./files.js";
