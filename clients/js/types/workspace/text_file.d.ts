/**
 * The first 16 hexadecimal digits of the bytes' SHA-256.
 * @param {Uint8Array} bytes
 */
export function digestOf(bytes: Uint8Array): Promise<string>;
/**
 * @param {string} path
 * @param {Uint8Array} bytes
 * @returns {Promise<TextFile>}
 * @throws {WorkspaceError} It is no UTF-8 text.
 */
export function textFileOf(path: string, bytes: Uint8Array): Promise<TextFile>;
/**
 * Encode a text in a form.
 * @param {string} path
 * @param {string} text
 * @param {Form} form
 */
export function bytesOf(path: string, text: string, { hasBom, isCrlf }: Form): Uint8Array<ArrayBuffer>;
/**
 * The encoding details of a text file: byte order mark and line endings.
 * @typedef {{ hasBom: boolean, isCrlf: boolean }} Form
 */
/**
 * A text file as models read it: with "\n" for line endings if all of its own are "\r\n".
 * @typedef {{ bytes: Uint8Array, text: string, digest: string, form: Form }} TextFile
 */
/** @type {Form} */
export const PLAIN: Form;
/**
 * The encoding details of a text file: byte order mark and line endings.
 */
export type Form = {
    hasBom: boolean;
    isCrlf: boolean;
};
/**
 * A text file as models read it: with "\n" for line endings if all of its own are "\r\n".
 */
export type TextFile = {
    bytes: Uint8Array;
    text: string;
    digest: string;
    form: Form;
};
