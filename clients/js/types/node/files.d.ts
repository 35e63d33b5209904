/**
 * @typedef {object} Allowed The refusals that the app lifts.
 * @property {boolean} [secrets] Files that are known to hold keys and passwords.
 * @property {boolean} [hardLinks] Files with another name, maybe outside the folder.
 * @property {boolean} [startupFiles] Writing files that a shell, an editor or git runs by itself.
 * @property {boolean} [commands] Running commands; true by default.
 * @property {string[]} [environment] Names of further environment variables that commands get.
 */
export class DiskFiles {
    /**
     * @param {string} root The folder.
     * @param {Allowed} [allowed]
     */
    constructor(root: string, allowed?: Allowed);
    /** @type {WorkspaceFiles["run"]} */
    run: WorkspaceFiles["run"];
    /**
     * @param {string} path
     * @returns {Promise<Entry[] | undefined>}
     */
    list(path: string): Promise<Entry[] | undefined>;
    /**
     * @param {string} path
     * @returns {Promise<Uint8Array | undefined>}
     */
    read(path: string): Promise<Uint8Array | undefined>;
    /**
     * @param {string} path
     * @param {Uint8Array} bytes
     * @param {Uint8Array} [before]
     */
    write(path: string, bytes: Uint8Array, before?: Uint8Array): Promise<void>;
    #private;
}
/**
 * The refusals that the app lifts.
 */
export type Allowed = {
    /**
     * Files that are known to hold keys and passwords.
     */
    secrets?: boolean | undefined;
    /**
     * Files with another name, maybe outside the folder.
     */
    hardLinks?: boolean | undefined;
    /**
     * Writing files that a shell, an editor or git runs by itself.
     */
    startupFiles?: boolean | undefined;
    /**
     * Running commands; true by default.
     */
    commands?: boolean | undefined;
    /**
     * Names of further environment variables that commands get.
     */
    environment?: string[] | undefined;
};
import type { WorkspaceFiles } from "../workspace/tools.js";
import type { Entry } from "../workspace/tools.js";
