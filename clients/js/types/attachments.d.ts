/**
 * @typedef {object} Sending
 * @property {string} [name] What it is called; a File has a name itself.
 * @property {string} [contentType] As in "image/png"; a Blob has a type itself.
 * @property {(sent: number, bytes: number) => void} [onProgress]
 * @property {AbortSignal} [signal]
 */
/**
 * Upload a file, and return the part of a message that carries it. The same file again is sent no
 * second time.
 * @param {(name: string, data: object) => Promise<any>} call
 * @param {Blob | Uint8Array} file
 * @param {Sending} [options]
 * @returns {Promise<MediaPart>}
 * @throws {RollcallError} It is of no type that is taken, or too large.
 */
export function attach(call: (name: string, data: object) => Promise<any>, file: Blob | Uint8Array, options?: Sending): Promise<MediaPart>;
/**
 * Read one of the user's own files, part by part.
 * @param {(name: string, data: object) => Promise<any>} call
 * @param {string} fileId
 * @returns {Promise<File>}
 * @throws {RollcallError} There is none, or what came is not what was stored.
 */
export function download(call: (name: string, data: object) => Promise<any>, fileId: string): Promise<File>;
export type Sending = {
    /**
     * What it is called; a File has a name itself.
     */
    name?: string | undefined;
    /**
     * As in "image/png"; a Blob has a type itself.
     */
    contentType?: string | undefined;
    onProgress?: ((sent: number, bytes: number) => void) | undefined;
    signal?: AbortSignal | undefined;
};
import type { MediaPart } from "../types/wire.js";
