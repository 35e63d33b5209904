/**
 * @typedef {object} Allowed The refusals that the app lifts.
 * @property {boolean} [secrets] Files that are known to hold keys and passwords.
 * @property {boolean} [hardLinks] Files that have another name, maybe outside.
 * @property {boolean} [startupFiles] Writing what runs by itself when a shell, an editor or git does.
 * @property {boolean} [commands] Running commands at all; true where it is left out.
 * @property {string[]} [environment] Names of variables that commands have beside a harmless few.
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
     * Files that have another name, maybe outside.
     */
    hardLinks?: boolean | undefined;
    /**
     * Writing what runs by itself when a shell, an editor or git does.
     */
    startupFiles?: boolean | undefined;
    /**
     * Running commands at all; true where it is left out.
     */
    commands?: boolean | undefined;
    /**
     * Names of variables that commands have beside a harmless few.
     */
    environment?: string[] | undefined;
};
import type { WorkspaceFiles } from "../workspace/tools.js";
import type { Entry } from "../workspace/tools.js";
