/**
 * @typedef {object} Sending
 * @property {string} [name] The file's name; by default that of a `File`.
 * @property {string} [contentType] Such as "image/png"; by default that of a `Blob`.
 * @property {(sent: number, bytes: number) => void} [onProgress]
 * @property {AbortSignal} [signal]
 */
/**
 * Upload a file, and return the message part that references it. A file that the server has is not
 * sent again.
 * @param {(name: string, data: object) => Promise<any>} call
 * @param {Blob | Uint8Array} file
 * @param {Sending} [options]
 * @returns {Promise<MediaPart>}
 * @throws {RollcallError} The server does not accept its type or size.
 */
export function attach(call: (name: string, data: object) => Promise<any>, file: Blob | Uint8Array, options?: Sending): Promise<MediaPart>;
/**
 * Download one of the user's files, in parts.
 * @param {(name: string, data: object) => Promise<any>} call
 * @param {string} fileId
 * @returns {Promise<File>}
 * @throws {RollcallError} There is no such file, or its content is damaged.
 */
export function download(call: (name: string, data: object) => Promise<any>, fileId: string): Promise<File>;
export type Sending = {
    /**
     * The file's name; by default that of a `File`.
     */
    name?: string | undefined;
    /**
     * Such as "image/png"; by default that of a `Blob`.
     */
    contentType?: string | undefined;
    onProgress?: ((sent: number, bytes: number) => void) | undefined;
    signal?: AbortSignal | undefined;
};
import type { MediaPart } from "../types/wire.js";
