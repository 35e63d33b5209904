/** @import { Entry } from "./tools.js" */
/** Files in memory. They do not outlive the page. */
export class MemoryFiles {
    /** @param {Record<string, string | Uint8Array>} [files] By their paths. */
    constructor(files?: Record<string, string | Uint8Array>);
    /** The files' texts by their paths. */
    get texts(): {
        [k: string]: string;
    };
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
import type { Entry } from "./tools.js";
