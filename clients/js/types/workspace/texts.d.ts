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
 * The bytes of a text in a form.
 * @param {string} path
 * @param {string} text
 * @param {Form} form
 */
export function bytesOf(path: string, text: string, { hasBom, isCrlf }: Form): Uint8Array<ArrayBuffer>;
/**
 * How a text is kept in its file: with a byte order mark or not, and its line ends.
 * @typedef {{ hasBom: boolean, isCrlf: boolean }} Form
 */
/**
 * A text file as it is read: line ends are "\n" wherever all of its own are "\r\n".
 * @typedef {{ bytes: Uint8Array, text: string, digest: string, form: Form }} TextFile
 */
/** @type {Form} */
export const PLAIN: Form;
/**
 * How a text is kept in its file: with a byte order mark or not, and its line ends.
 */
export type Form = {
    hasBom: boolean;
    isCrlf: boolean;
};
/**
 * A text file as it is read: line ends are "\n" wherever all of its own are "\r\n".
 */
export type TextFile = {
    bytes: Uint8Array;
    text: string;
    digest: string;
    form: Form;
};
