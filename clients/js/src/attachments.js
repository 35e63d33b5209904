/** Files: those that go with a message, sent in parts, and those of the user's that are read back. */

import { RollcallError } from "./errors.js";

/** @import { MediaPart } from "../types/wire.js" */

/** A file up to this size is sent with its announcement, in bytes. */
const AT_ONCE = 256_000;

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
export async function attach(call, file, options = {}) {
  const { name, contentType } = aboutOf(file, options);
  const { onProgress, signal } = options;
  const bytes = file instanceof Uint8Array ? file : new Uint8Array(await file.arrayBuffer());
  const about = { name, contentType, bytes: bytes.length, sha256: await sha256(bytes) };
  const content = bytes.length <= AT_ONCE ? { content: toBase64(bytes) } : {};
  signal?.throwIfAborted();
  const begun = await call("begin_upload", { ...about, purpose: "attachment", ...content });
  const { fileId, partBytes, missing = [] } = begun;
  let sent = bytes.length - missing.length * partBytes;
  for (const part of missing) {
    signal?.throwIfAborted();
    const piece = bytes.subarray(part * partBytes, (part + 1) * partBytes);
    await call("upload_part", { fileId, part, content: toBase64(piece) });
    sent += partBytes;
    onProgress?.(Math.min(sent, bytes.length), bytes.length);
  }
  if (missing.length) await call("finish_upload", { fileId });
  onProgress?.(bytes.length, bytes.length);
  return { type: contentType.startsWith("image/") ? "image" : "document", fileId, name };
}

/**
 * Read one of the user's own files, part by part.
 * @param {(name: string, data: object) => Promise<any>} call
 * @param {string} fileId
 * @returns {Promise<File>}
 * @throws {RollcallError} There is none, or what came is not what was stored.
 */
export async function download(call, fileId) {
  const first = await call("get_file", { fileId });
  const parts = [fromBase64(first.content)];
  for (let part = 1; part < first.parts; part++) {
    parts.push(fromBase64((await call("get_file", { fileId, part })).content));
  }
  const file = new File(parts, first.name, { type: first.contentType });
  if ((await sha256(new Uint8Array(await file.arrayBuffer()))) !== first.sha256) {
    throw new RollcallError("data-loss", `${first.name} did not arrive as it was stored`);
  }
  return file;
}

/**
 * @param {Blob | Uint8Array} file
 * @param {Sending} options
 */
function aboutOf(file, options) {
  const own = /** @type {{ name?: string, type?: string }} */ (file);
  const name = options.name ?? own.name;
  const contentType = (options.contentType ?? own.type)?.split(";")[0];
  if (name && contentType) return { name, contentType };
  const missing = name ? "contentType" : "name";
  throw new RollcallError("invalid-argument", `say what the file is: ${missing} is missing`, {
    field: missing,
  });
}

/** @param {Uint8Array} bytes */
async function sha256(bytes) {
  const copy = new Uint8Array(bytes); // of memory that nobody shares
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", copy));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Uint8Array} bytes */
function toBase64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

/** @param {string} text */
function fromBase64(text) {
  return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
}
