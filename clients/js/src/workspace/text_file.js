/** Text files: their bytes, their digest, and the text that a model reads and writes. */

import { WorkspaceError } from "./errors.js";

const BOM = "\ufeff";
const DIGEST_CHARS = 16;

/**
 * The encoding details of a text file: byte order mark and line endings.
 * @typedef {{ hasBom: boolean, isCrlf: boolean }} Form
 */

/**
 * A text file as models read it: with "\n" for line endings if all of its own are "\r\n".
 * @typedef {{ bytes: Uint8Array, text: string, digest: string, form: Form }} TextFile
 */

/** @type {Form} */
export const PLAIN = { hasBom: false, isCrlf: false };

/**
 * The first 16 hexadecimal digits of the bytes' SHA-256.
 * @param {Uint8Array} bytes
 */
export async function digestOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
  const digits = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0"));
  return digits.join("").slice(0, DIGEST_CHARS);
}

/**
 * @param {string} path
 * @param {Uint8Array} bytes
 * @returns {Promise<TextFile>}
 * @throws {WorkspaceError} It is no UTF-8 text.
 */
export async function textFileOf(path, bytes) {
  const whole = decode(path, bytes);
  const hasBom = whole.startsWith(BOM);
  const lines = whole.split("\n").length - 1;
  const isCrlf = lines > 0 && whole.split("\r\n").length - 1 === lines;
  const plain = hasBom ? whole.slice(1) : whole;
  const text = isCrlf ? plain.replaceAll("\r\n", "\n") : plain;
  return { bytes, text, digest: await digestOf(bytes), form: { hasBom, isCrlf } };
}

/**
 * @param {string} path
 * @param {Uint8Array} bytes
 */
function decode(path, bytes) {
  if (bytes.includes(0))
    throw new WorkspaceError(`${path}: a binary file; only text is read and edited`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new WorkspaceError(`${path}: not UTF-8; only UTF-8 text is read and edited`);
  }
}

/**
 * Encode a text in a form.
 * @param {string} path
 * @param {string} text
 * @param {Form} form
 */
export function bytesOf(path, text, { hasBom, isCrlf }) {
  if (text.includes("\0"))
    throw new WorkspaceError(`${path}: the content has a NUL; only text is written`);
  if (/\p{Surrogate}/u.test(text))
    throw new WorkspaceError(`${path}: the content has half of a character`);
  const ended = isCrlf ? text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") : text;
  return new TextEncoder().encode(hasBom && !ended.startsWith(BOM) ? BOM + ended : ended);
}
