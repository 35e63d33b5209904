/** Texts with their invisible characters made visible, and texts cleaned of them. */

/** A part of a text. `code` names an invisible character, such as "U+202E". */
export interface VisiblePart {
  text: string;
  code?: string;
}

const JOINERS = "\\u200c\\u200d\\ufe00-\\ufe0f";
/** Marks upon one letter; Hebrew with vowels and cantillation has up to four. */
const MARKS = 6;
/**
 * Controls, formats, separators other than the space, unassigned and private characters, lone
 * surrogates, tags and variants; letters and symbols that nobody sees; joiners where nothing is to
 * be joined; more marks on a letter than any script uses. Line feeds and tabs are seen.
 */
const INVISIBLE = new RegExp(
  [
    `(?<=[\\x00-\\x7f\\u0590-\\u05ff]|^)[${JOINERS}]`,
    "\\p{M}{7,}",
    `(?![\\n\\t ${JOINERS}])[\\p{C}\\p{Z}]`,
    "[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2065\\u2800\\u3164\\uffa0\\ufff0-\\ufff8]",
    "[\\u{e0000}-\\u{e0fff}]",
  ].join("|"),
  "gu",
);

/** Split a text into visible parts and named invisible characters: "U+202E", "107 × U+0301". */
export function visibleParts(text: string): VisiblePart[] {
  const found: VisiblePart[] = [];
  let end = 0;
  for (const match of text.matchAll(INVISIBLE)) {
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
/** Directional overrides, line and paragraph separators, and tags. */
const REORDERING = /[\u202a-\u202e\u2028\u2029\u{e0000}-\u{e0fff}]/gu;

/** Normalize line breaks, and remove control characters. */
export function normalizeLines(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}

/** Units of measurement in technical texts of both languages; "3 in a row" has none. */
const UNIT = [
  "[kMm]?(?:VA|VAR|V|A|W|Wh|Ω)|[kM]?Hz|kcmil|AWG|hp|ohms?|ft²?|mm²?|cm²?|km|m²?|in²?|kg|lb|ms|s|[kMG]?B|[°]?[CF]|%|[₪€$]",
  "וולט|ואט|קו[\"״]ט|אמפר|רגל|אינץ['׳]|מ[\"״]מ|ס[\"״]מ|ק[\"״]מ|מטר|ק[\"״]ג|כ[\"״]ס|מעלות",
].join("|");
const FIGURE = new RegExp(`(?<=\\d) (?=(?:${UNIT})(?![\\p{L}\\p{N}]| a | the ))|(?<=\\bAWG) (?=\\d)`, "gu");

/**
 * Remove control and reordering characters from prose, and keep a figure and its unit on one line.
 */
export function cleanProse(text: string): string {
  return normalizeLines(text).replace(REORDERING, "").replace(FIGURE, "\u00a0");
}
