/**
 * Markdown as blocks that keep their identity while a text grows, so that the cost of a delta does not
 * grow with the text: only blocks that may still change are parsed again.
 */

import { Lexer, type Token, type Tokens } from "marked";

import { normalizeLines } from "../text/visible.js";

/** A block of a text. It stays the same object until its content changes. */
export type Block =
  | { kind: "token"; raw: string; token: Token }
  /** Code, in pieces of which only the last one grows. */
  | { kind: "code"; raw: string; language: string; pieces: string[] }
  /** Text that is too long or too deeply nested for Markdown. */
  | { kind: "plain"; raw: string };

type Links = Record<string, Pick<Tokens.Link, "href" | "title">>;

/** Longer lines are shown as plain text. */
const LINE_CHARS = 20_000;
/** Text beyond this length is shown as plain text. */
const MAX_CHARS = 400_000;
/** Emphasis and links are only parsed in texts up to this length. */
const INLINE_CHARS = 8_000;
const CODE_PIECE = 1_500;
/** A longer unfinished block is only parsed again after growing by a sixteenth. */
const OPEN_CHARS = 4_000;
/** The size of a group of finished blocks. A long text is compared group by group. */
const GROUP = 32;

/** Quotes and lists within one another: on one line, or by their indent. */
const DEEP = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){12}|^[ \t]{48,}\S/;
const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)(?:\n|$)/;
/** A text that may become the next item of the preceding list. */
const HALF_MARKER = /^\s*(?:[-+*]|\d{1,9}[.)]?)?\s*$/;

export class BlockReader {
  /** Finished blocks, in groups. */
  #groups: Block[][] = [];
  #open: Block[] = [];
  /** The text after the finished blocks, and how much of it the open ones were read from. */
  #tail = "";
  #readTo = 0;
  /** Where the tail is code: its whole lines, and where they end. */
  #code: { pieces: string[]; end: number } | undefined;
  #links: Links = {};
  #text = "";
  #isWhole = false;

  /**
   * Read a text. What it begins with, if that was read before, is not read again.
   * @returns Its blocks in groups. A group that is full stays the same object.
   */
  read(text: string, isWhole: boolean): Block[][] {
    if (text === this.#text && isWhole === this.#isWhole) return this.#shown();
    if (isWhole) this.#readAll(text);
    else {
      if (this.#isWhole || !text.startsWith(this.#text)) this.#reset();
      this.#tail += normalizeLines(text.slice(this.#text.length));
      this.#readTail();
    }
    [this.#text, this.#isWhole] = [text, isWhole];
    return this.#shown();
  }

  #shown(): Block[][] {
    return this.#open.length ? [...this.#groups, this.#open] : this.#groups;
  }

  #reset(): void {
    [this.#groups, this.#open, this.#tail, this.#links] = [[], [], "", {}];
    [this.#readTo, this.#text, this.#code] = [0, "", undefined];
  }

  /** All at once: a block that reads as it did before stays the same object. */
  #readAll(text: string): void {
    const before = this.#shown().flat();
    this.#reset();
    const blocks = blocksOf(normalizeLines(text), this.#links);
    // An address that is named at the end may make a link of what was read before.
    const hasLinks = Object.keys(this.#links).length > 0;
    for (const [at, block] of blocks.entries()) {
      const mayDiffer = hasLinks && block.raw.includes("[");
      this.#finish(mayDiffer ? block : same(block, before[at]));
    }
  }

  #readTail(): void {
    for (let fence; (fence = FENCE.exec(this.#tail)); ) if (!this.#readCode(fence)) return;
    const due = this.#readTo + (this.#readTo >> 4);
    if (this.#tail.length > OPEN_CHARS && this.#tail.length < due) {
      const read = this.#open.filter(({ kind }) => kind !== "plain");
      this.#open = [...read, { kind: "plain", raw: this.#tail.slice(this.#readTo) }];
      return;
    }
    const blocks = blocksOf(this.#tail, this.#links);
    let open = blocks.findLastIndex(hasText);
    if (open > 0 && HALF_MARKER.test(blocks[open]?.raw ?? "")) {
      open = blocks.slice(0, open).findLastIndex(hasText);
    }
    const finished = blocks.slice(0, Math.max(open, 0));
    const before = this.#open;
    for (const [at, block] of finished.entries()) {
      this.#finish(same(block, before[at]));
      this.#tail = this.#tail.slice(block.raw.length);
    }
    const rest = blocks.slice(finished.length);
    this.#open = rest.map((block, at) => same(block, before[finished.length + at]));
    this.#readTo = this.#tail.length;
    if (finished.length && FENCE.test(this.#tail)) this.#readTail();
  }

  /** Read code between fences, its new lines alone. True where it has come to its end. */
  #readCode([opening, marker = "", info = ""]: RegExpExecArray): boolean {
    const { pieces, end: start } = this.#code ?? { pieces: [], end: opening.length };
    const added = this.#tail.slice(start);
    const closing = new RegExp(`^ {0,3}${marker[0]}{${marker.length},}[ \\t]*(?:\\n|$)`, "m");
    const found = opening.endsWith("\n") ? closing.exec(added) : null;
    const raw = found?.[0].endsWith("\n")
      ? this.#tail.slice(0, start + found.index + found[0].length)
      : undefined;
    if (raw !== undefined && found) {
      const all = longer(pieces, added.slice(0, found.index));
      this.#finish(codeBlock(raw, info, withoutBreak(all)));
      [this.#tail, this.#open, this.#readTo, this.#code] = [this.#tail.slice(raw.length), [], 0, undefined];
      return true;
    }
    const whole = longer(pieces, added.slice(0, added.lastIndexOf("\n") + 1));
    this.#code = { pieces: whole, end: start + added.lastIndexOf("\n") + 1 };
    const shown = longer(whole, this.#tail.slice(this.#code.end, found ? start + found.index : undefined));
    this.#open = [codeBlock(this.#tail, info, opening.endsWith("\n") ? shown : [])];
    return false;
  }

  #finish(block: Block): void {
    const last = this.#groups.at(-1);
    const isFull = !last || last.length === GROUP;
    this.#groups = isFull
      ? [...this.#groups, [block]]
      : [...this.#groups.slice(0, -1), [...last, block]];
  }
}

/** A text's blocks. The addresses that it names are added to `links`. */
function blocksOf(text: string, links: Links): Block[] {
  return parts(text).flatMap((part): Block[] => {
    if (part.isPlain) return [{ kind: "plain", raw: part.text }];
    const lexer = new Lexer();
    Object.assign(lexer.tokens.links, links);
    lexer.blockTokens(part.text, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (src.length <= INLINE_CHARS) lexer.inlineTokens(src, tokens);
      else tokens.push({ type: "text", raw: src, text: src });
    }
    Object.assign(links, lexer.tokens.links);
    return [...lexer.tokens].map(blockOf);
  });
}

function blockOf(token: Token): Block {
  if (token.type !== "code") return { kind: "token", raw: token.raw, token };
  const { raw, text, lang = "" } = token as Tokens.Code;
  return codeBlock(raw, lang, longer([], text));
}

/** The parts of a text that can be read as Markdown in a short time, and the others. */
function parts(text: string): { text: string; isPlain: boolean }[] {
  const found: { text: string; isPlain: boolean }[] = [];
  let [isCode, length] = [false, 0];
  for (const line of text.split(/(?<=\n)/)) {
    length += line.length;
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const isPlain = line.length > LINE_CHARS || length > MAX_CHARS || (!isCode && DEEP.test(line));
    const last = found.at(-1);
    if (last?.isPlain === isPlain) last.text += line;
    else found.push({ text: line, isPlain });
  }
  return found;
}

function codeBlock(raw: string, info: string, pieces: string[]): Block {
  return { kind: "code", raw, language: languageOf(info), pieces };
}

/** The language that stands at a fence. */
export function languageOf(info: string): string {
  return /^[\w+#.-]{1,30}/.exec(info.trim())?.[0] ?? "";
}

/** Pieces with more text, which end with lines where these are not too long for that. */
function longer(pieces: string[], added: string): string[] {
  if (!added) return pieces;
  const found = pieces.slice(0, -1);
  const text = (pieces.at(-1) ?? "") + added;
  for (let start = 0; start < text.length; ) {
    const line = text.lastIndexOf("\n", start + CODE_PIECE) + 1;
    const end = text.length - start <= CODE_PIECE ? text.length : line > start ? line : start + CODE_PIECE;
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}

/** Without the line break before the closing fence. */
function withoutBreak(pieces: string[]): string[] {
  const last = pieces.at(-1);
  return last?.endsWith("\n") ? [...pieces.slice(0, -1), last.slice(0, -1)] : pieces;
}

/** The block as it was before, if nothing in it has changed. */
function same(block: Block, old: Block | undefined): Block {
  return old?.kind === block.kind && old.raw === block.raw ? old : block;
}

function hasText(block: Block): boolean {
  return !(block.kind === "token" && (block.token.type === "space" || block.token.type === "def"));
}
