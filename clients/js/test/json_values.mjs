// A seeded random generator, and random JSON values.

/** Whole numbers below what is asked for, the same for the same seed. */
export function chance(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const TEXTS = [
  "",
  "plain",
  "שלום",
  "😀",
  '"',
  "\\",
  "\n\t",
  "\u0000",
  "\ud800",
  "\u2028",
  "__proto__",
];

export function document(random, depth = 0) {
  const kind = random(depth > 4 ? 4 : 6);
  if (kind === 0) return [true, false, null][random(3)];
  if (kind === 1) return [0, -1, 1.5, 1e21, -2.5e-7, random(1_000_000)][random(6)];
  if (kind < 4)
    return Array.from({ length: random(5) }, () => TEXTS[random(TEXTS.length)]).join("");
  const inner = Array.from({ length: random(5) }, () => document(random, depth + 1));
  if (kind === 4) return inner;
  return Object.fromEntries(inner.map((each, n) => [`${TEXTS[random(TEXTS.length)]}${n}`, each]));
}
