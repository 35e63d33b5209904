/** HTML character references in Markdown. */

const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  deg: "°",
  times: "×",
  plusmn: "±",
  rarr: "→",
  larr: "←",
  middot: "·",
  euro: "€",
  le: "≤",
  ge: "≥",
  ne: "≠",
};

/** A text with its references as characters. Unknown ones, and those of controls, stay as they are. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (whole, dec, hex, name) => {
    if (name) return NAMED[name] ?? whole;
    const code = dec ? Number(dec) : Number.parseInt(hex, 16);
    const char = code <= 0x10ffff ? String.fromCodePoint(code) : "";
    return /^[^\p{C}]$/u.test(char) ? char : whole;
  });
}
