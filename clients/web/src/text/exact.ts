/** Texts in which every character counts, and is seen. */

/** A piece of such a text; `code` names the characters that stand for what nobody sees. */
export interface Exact {
  text: string;
  code?: string;
}

const JOINED = "\\u200c\\u200d\\ufe00-\\ufe0f";
/** Marks upon one letter; Hebrew with vowels and cantillation has up to four. */
const MARKS = 6;
/**
 * Controls, formats, separators other than the space, unassigned and private characters, lone
 * surrogates, tags and variants; letters and symbols that nobody sees; joiners where nothing is to
 * be joined; more marks on a letter than any script uses. Line feeds and tabs are seen.
 */
const UNSEEN = new RegExp(
  [
    `(?<=[\\x00-\\x7f\\u0590-\\u05ff]|^)[${JOINED}]`,
    "\\p{M}{7,}",
    `(?![\\n\\t ${JOINED}])[\\p{C}\\p{Z}]`,
    "[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2065\\u2800\\u3164\\uffa0\\ufff0-\\ufff8]",
    "[\\u{e0000}-\\u{e0fff}]",
  ].join("|"),
  "gu",
);

/** The text in pieces, with what nobody would see named: "U+202E", "107 × U+0301". */
export function exact(text: string): Exact[] {
  const found: Exact[] = [];
  let end = 0;
  for (const match of text.matchAll(UNSEEN)) {
    const [unseen] = match;
    const isMarks = /^\p{M}{2}/u.test(unseen);
    const start = match.index + (isMarks ? MARKS : 0);
    if (start > end) found.push({ text: text.slice(end, start) });
    end = match.index + unseen.length;
    const name = `U+${(text.codePointAt(start) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    const count = isMarks ? unseen.length - MARKS : 1;
    found.push({ text: text.slice(start, end), code: count > 1 ? `${count} × ${name}` : name });
  }
  if (end < text.length) found.push({ text: text.slice(end) });
  return found;
}

const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Marks that turn the order of a text around, breaks that are no lines, and tags. */
const OBEYED = /[\u202a-\u202e\u2028\u2029\u{e0000}-\u{e0fff}]/gu;

/** A text with one kind of line break, and without controls. */
export function lines(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}

/** What a figure is of, in technical texts of both languages; "3 in a row" has none. */
const UNIT = [
  "[kMm]?(?:VA|VAR|V|A|W|Wh|Ω)|[kM]?Hz|kcmil|AWG|hp|ohms?|ft²?|mm²?|cm²?|km|m²?|in²?|kg|lb|ms|s|[kMG]?B|[°]?[CF]|%|[₪€$]",
  "וולט|ואט|קו[\"״]ט|אמפר|רגל|אינץ['׳]|מ[\"״]מ|ס[\"״]מ|ק[\"״]מ|מטר|ק[\"״]ג|כ[\"״]ס|מעלות",
].join("|");
const FIGURE = new RegExp(`(?<=\\d) (?=(?:${UNIT})(?![\\p{L}\\p{N}]| a | the ))|(?<=\\bAWG) (?=\\d)`, "gu");

/**
 * Prose without the characters that would be obeyed instead of read, in which a figure and its unit
 * stay on one line.
 */
export function prose(text: string): string {
  return lines(text).replace(OBEYED, "").replace(FIGURE, "\u00a0");
}
