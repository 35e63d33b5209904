/** Ids that nobody else makes. */
/** 32 hexadecimal digits; `crypto.randomUUID` is missing in pages that come over plain HTTP. */
export function newId(): string;
