/** The direction of a text, by its letters, and the segments of it that keep their own direction. */

export type Direction = "ltr" | "rtl";

/** A segment of a text. One that is `isolated` has its own direction, whatever surrounds it. */
export interface Segment {
  text: string;
  isolated?: Direction;
}

const RTL = "\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}";
const RTL_LETTER = new RegExp(`[${RTL}]`, "u");
const LTR_LETTER = new RegExp(`(?![${RTL}])\\p{L}`, "u");
const WORD = new RegExp(`[\\p{L}\\p{M}\\p{N}'’"״׳_]+`, "gu");

/** A text is read from the right if at least this share of its words is written so. */
const RTL_SHARE = 0.35;
/** Of a longer text, only the beginning decides. */
const MAX_CHARS = 4_000;

const NUMBER = "[+\\-−±~≈<>≤≥=]?[$€₪£#]?\\d(?:[.,:/×]?\\d){0,40}(?: \\d{1,4}/\\d{1,4})?(?:[eE][+\\-]?\\d{1,3})?[%‰°$€₪£]?";
const NAME = "[A-Za-z_$][\\w$]{0,60}";
const PART = "[\\w.@*~\\-]{1,80}";
const OPERAND = `(?:${NAME}\\([\\w\\s,+\\-*/^.]{0,40}\\)|${NUMBER}[a-z]?|${NAME}|[√π∑Δ]\\w{0,20}|□|\\?(?=\\s?[+=×÷−])|\\([\\w\\s+\\-−*/^.,×÷:□?]{1,40}\\))(?:\\^[\\w+\\-]{1,20}|²|³)?`;
/** What is between two numbers, and in no path. */
const SIGN = "(?:\\s?[+=×÷≤≥≠≈<>−]\\s?|\\s[*\\-–:□]\\s)";
/** What is asked for: "3 + 4 = ?", "3 + 4 = ___", and "3 + 4 =" at the end of a line. */
const BLANK = "(?:\\s?=(?:\\s?(?:\\?|□|_{1,12})|(?=\\s*(?:\\n|$))))?";
/** Between two others "a · b" parts two things, and a colon or a place for a sign stands alone: "6 : 2", "3 □ 4". */
const OPERATOR = "(?:\\s?(?:[+*/^=×÷≤≥≠≈<>→]|[\\-−–](?=\\s?[\\d(A-Za-z□]))\\s?|·|\\s[:□]\\s(?=[\\d(□]))";
/** A text that is one sign of comparison, which is mirrored in a line from the right. */
const RELATION = /^\s*[<>≤≥]=?\s*$/u;
/**
 * Expressions that read as a unit, and whose punctuation would otherwise take the direction of its
 * surroundings. Each repetition has a limit, so that no text makes matching slow.
 */
const UNITS = new RegExp(
  // The hyphen after a Hebrew prefix, as in "ב-5", belongs to the prefix.
  `(?<![A-Za-z0-9_])(?!(?<=[${RTL}])[-−–])(?:${[
    "(?:https?://|www\\.|mailto:)[\\w\\-.~:/?#[\\]@!$&'()*+,;=%]{0,500}[\\w/#=&%\\-]", // addresses of pages
    "[\\w.+\\-]{1,80}@[\\w\\-]{1,80}(?:\\.[\\w\\-]{1,80}){1,8}", // of mail
    `(?:[A-Za-z]:\\\\|\\\\\\\\)[\\w.\\-\\\\]{1,200}`, // paths on Windows
    `${NUMBER}${SIGN}${OPERAND}(?:${OPERATOR}${OPERAND}){0,20}${BLANK}`, // formulas with fractions
    `(?:~|\\.{1,2})?/${PART}(?:/${PART}){0,20}/?(?<!\\.)`, // paths on others, without a full stop
    `${PART}(?:/${PART}){1,20}/?(?<!\\.)`,
    `${OPERAND}(?:${OPERATOR}${OPERAND}){1,20}${BLANK}`, // formulas
    "--?[A-Za-z][\\w\\-]{0,60}(?:=[\\w./\\-]{1,80})?", // options
    "\\d{1,4}\\.\\d{1,4}(?:\\([A-Za-z0-9]{1,4}\\)){1,6}", // sections of a code, as 310.15(B)(1)
    `${NAME}(?:(?:\\.|::|->)${NAME}){0,8}\\([\\w\\s,.=+\\-*/"'\\[\\]]{0,60}\\)`, // calls
    `${NAME}(?:\\[[\\w"']{0,20}\\]){1,8}`,
    "[@#$][A-Za-z_][\\w\\-]{0,60}", // mentions, tags, variables
    "[A-Z]\\w{0,20}(?:\\+\\+|#)(?!\\w)", // C++, C#
    "\\.[A-Za-z][\\w\\-]{0,60}(?:\\.[\\w\\-]{1,60}){0,8}", // .NET, .env
    "[A-Za-z]\\w{0,60}(?:[.\\-]\\w{1,60}){1,8}[+*]?(?!\\w)", // main.py, gpt-4.1, end-to-end
    "\\(?\\+?\\d[\\d)]{0,20}(?:[\\-–—/. ]\\(?\\d{1,20}\\)?){1,8}(?:\\s?%)?(?:\\s?[A-Za-zΩµ°]{1,4}\\b)?", // dates, phones, ranges
    `${NUMBER}(?:\\s?(?:[A-Za-zΩµ°][A-Za-z²³/·]{0,5}|%)(?!\\w))?`, // numbers with their units
  ].join("|")})`,
  "gu",
);
const WORDS_BEFORE = /(?<![\p{L}\p{N}_])(?:[A-Za-z][\w'’\-]{0,60}[ \u00a0]){1,8}$/u;
const WORDS_AFTER = /^(?:[ \u00a0](?:[A-Za-z][\w'’\-]{0,60}(?!\w)|"[\w .,:\-]{1,60}"))+/;
const ISOLATE = /[\u2066-\u2068][^\u2066-\u2069]*\u2069/gu;
/** Longer texts without a break are not searched for such units. */
const MAX_ISOLATED = 20_000;

/**
 * The reading direction of a text block; undefined if it has no letters.
 *
 * Words are counted, not characters, since Hebrew words are shorter. Names in code, addresses and
 * paths do not count: a Hebrew sentence about `useState` is Hebrew. Nor does what the text isolates,
 * such as a name in a list, as long as there are other words.
 */
export function directionOf(text: string): Direction | undefined {
  const whole = text.slice(0, MAX_CHARS);
  const own = whole.replace(ISOLATE, " ");
  const start = /\p{L}/u.test(own) ? own : whole;
  const hasRtl = RTL_LETTER.test(start);
  if (!hasRtl) return LTR_LETTER.test(start) ? "ltr" : undefined;
  if (!LTR_LETTER.test(start)) return "rtl";
  let [rtl, ltr] = [0, 0];
  for (const [word] of start.replace(UNITS, " ").matchAll(WORD)) {
    if (RTL_LETTER.test(word)) rtl += 1;
    else if (LTR_LETTER.test(word) && !isTerm(word)) ltr += 1;
  }
  return rtl / (rtl + ltr || 1) >= RTL_SHARE ? "rtl" : "ltr";
}

/** Whether a Latin word is a name in code or an abbreviation, which stands in texts of any language. */
function isTerm(word: string): boolean {
  return word.length === 1 || /[\d_]|[a-z][A-Z]/.test(word) || word === word.toUpperCase();
}

/**
 * Split a text into segments, and isolate those with their own direction. A left-to-right text in
 * left-to-right surroundings is one segment.
 */
export function segments(text: string, around: Direction): Segment[] {
  if (around === "rtl" && RELATION.test(text)) return [{ text, isolated: "ltr" }];
  const hasRtl = RTL_LETTER.test(text);
  if ((around === "ltr" && !hasRtl) || text.length > MAX_ISOLATED) return [{ text }];
  const found: Segment[] = [];
  let end = 0;
  for (const { index, 0: unit } of text.matchAll(UNITS)) {
    if (index < end) continue; // it stands among the words after the one before
    const before = text.slice(end, index);
    // "iPhone 15 Pro" is one thing: what is isolated would change places with the words at its sides.
    const start = index - (WORDS_BEFORE.exec(before)?.[0].length ?? 0);
    const rest = text.slice(index + unit.length, index + unit.length + 200);
    const last = found.at(-1);
    if (last?.isolated && /^\s+$/.test(before)) last.text += before + unit;
    else {
      if (start > end) found.push({ text: text.slice(end, start) });
      found.push({ text: text.slice(start, index) + unit, isolated: "ltr" });
    }
    const after = WORDS_AFTER.exec(rest)?.[0] ?? "";
    (found.at(-1) as Segment).text += after;
    end = index + unit.length + after.length;
  }
  if (end < text.length) found.push({ text: text.slice(end) });
  return found.flatMap((piece, at) => withWholeBrackets(piece, found[at + 1]));
}

/**
 * A piece with the bracket that closes its own, as in "61.5 ft (18.7 m)", which is taken from the
 * text after it; where that is further off, as in "(120 V to the neutral)", the piece without.
 */
function withWholeBrackets(piece: Segment, next: Segment | undefined): Segment[] {
  const { text, isolated } = piece;
  const open = text.lastIndexOf("(");
  if (!isolated || open <= text.lastIndexOf(")")) return [piece];
  const closing = next && !next.isolated ? /^[²³°%]?\)/.exec(next.text)?.[0] : undefined;
  if (next && closing) {
    next.text = next.text.slice(closing.length);
    return [{ text: text + closing, isolated }];
  }
  const [before, inside] = [text.slice(0, open), text.slice(open + 1)];
  const words = before.trimEnd();
  const parts = [{ text: words, isolated }, { text: `${before.slice(words.length)}(` }, { text: inside, isolated }];
  return parts.filter(({ text }) => text);
}
