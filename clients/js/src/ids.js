/** Ids that nobody else makes. */

/** 32 hexadecimal digits; `crypto.randomUUID` is missing in pages that come over plain HTTP. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
