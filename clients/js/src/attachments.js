/** Uploads of attachments, and downloads of the user's files. */

import { RollcallError } from "./errors.js";

/** @import { MediaPart } from "../types/wire.js" */

/** A file up to this size, in bytes, is sent in one request. */
const AT_ONCE = 256_000;

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
 * Download one of the user's files, in parts.
 * @param {(name: string, data: object) => Promise<any>} call
 * @param {string} fileId
 * @returns {Promise<File>}
 * @throws {RollcallError} There is no such file, or its content is damaged.
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
