/**
 * Regular expressions from a model, matched in time proportional to the length of the pattern times
 * that of the text. Unlike RegExp, they cannot backtrack.
 *
 * Supported are literals, `.`, classes, `\d \w \s` and their opposites, `^ $ \b \B`, groups, `|`,
 * and `* + ? {n,m}`. Lookaround groups and backreferences are refused.
 */

import { WorkspaceError } from "./errors.js";

/** @typedef {(char: string) => boolean} Test */
/** @typedef {(before: string | undefined, after: string | undefined) => boolean} Look */

/**
 * An instruction: consume a character, test the characters around, or jump to one or two steps.
 * @typedef {{ take?: Test, look?: Look, goTo?: number[] }} Step
 */

/** @typedef {(at: number) => Step[]} Piece Makes the steps of a part of a pattern, to stand at `at`. */

const MAX_STEPS = 1_000;
const MAX_DEPTH = 50;
/** @type {Record<string, Test>} */
const CLASSES = {
  d: (char) => /[0-9]/.test(char),
  w: (char) => /[\p{L}\p{N}_]/u.test(char),
  s: (char) => /\s/.test(char),
};
const isWord = (/** @type {string | undefined} */ char) => char !== undefined && CLASSES.w(char);
/** @type {Record<string, string>} */
const ESCAPES = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", 0: "\0" };

/**
 * A test whether a line has a match.
 * @param {string} source
 * @param {{ ignoreCase?: boolean, isWhole?: boolean }} [options] Whether all of the line must match.
 * @returns {(line: string) => boolean}
 * @throws {WorkspaceError} The expression is invalid or not supported.
 */
export function matcher(source, { ignoreCase = false, isWhole = false } = {}) {
  const steps = new Reader([...source], ignoreCase).steps();
  return (line) => matches(steps, [...line], isWhole);
}

/**
 * @param {Step[]} steps
 * @param {string[]} chars
 * @param {boolean} isWhole
 */
function matches(steps, chars, isWhole) {
  let [now, next] = [new Places(steps.length), new Places(steps.length)];
  for (let at = 0; at <= chars.length; at++) {
    if (at === 0 || !isWhole) now.add(0);
    // What is added meanwhile is visited, too; each step once.
    for (const place of now.all) {
      if (place === steps.length) {
        if (!isWhole || at === chars.length) return true;
        continue;
      }
      const step = steps[place];
      if (step.take) {
        if (at < chars.length && step.take(chars[at])) next.add(place + 1);
      } else if (step.look) {
        if (step.look(chars[at - 1], chars[at])) now.add(place + 1);
      } else {
        for (const each of step.goTo ?? []) now.add(each);
      }
    }
    now.clear();
    [now, next] = [next, now];
  }
  return false;
}

/** A set of step indexes, in the order of insertion. */
class Places {
  /** @type {number[]} */
  all = [];
  #has;

  /** @param {number} most */
  constructor(most) {
    this.#has = new Uint8Array(most + 1);
  }

  /** @param {number} place */
  add(place) {
    if (this.#has[place]) return;
    this.#has[place] = 1;
    this.all.push(place);
  }

  clear() {
    for (const place of this.all) this.#has[place] = 0;
    this.all.length = 0;
  }
}

/** A compiler of patterns into steps. */
class Reader {
  #chars;
  #ignoreCase;
  #at = 0;
  #depth = 0;

  /**
   * @param {string[]} chars
   * @param {boolean} ignoreCase
   */
  constructor(chars, ignoreCase) {
    this.#chars = chars;
    this.#ignoreCase = ignoreCase;
  }

  steps() {
    const steps = this.#either()(0);
    if (this.#at < this.#chars.length) throw this.#wrong("a ) has no (");
    return steps;
  }

  /** @returns {Piece} */
  #either() {
    if (++this.#depth > MAX_DEPTH) throw this.#wrong("groups are nested too deeply");
    let piece = this.#row();
    while (this.#next("|")) {
      const [one, other] = [piece, this.#row()];
      piece = (at) => {
        const first = one(at + 1);
        const second = other(at + first.length + 2);
        const end = at + first.length + 2 + second.length;
        return bounded([
          { goTo: [at + 1, at + first.length + 2] },
          ...first,
          { goTo: [end] },
          ...second,
        ]);
      };
    }
    this.#depth -= 1;
    return piece;
  }

  /** @returns {Piece} */
  #row() {
    /** @type {Piece[]} */
    const pieces = [];
    while (this.#at < this.#chars.length && !"|)".includes(this.#chars[this.#at])) {
      pieces.push(this.#repeated());
    }
    return row(pieces);
  }

  /** @returns {Piece} */
  #repeated() {
    let piece = this.#one();
    for (let times; (times = this.#times());) {
      piece = repeat(piece, times);
      this.#next("?"); // whether a match is there does not depend on how greedy it is
    }
    return piece;
  }

  /** @returns {[number, number] | undefined} */
  #times() {
    if (this.#next("*")) return [0, Infinity];
    if (this.#next("+")) return [1, Infinity];
    if (this.#next("?")) return [0, 1];
    const rest = this.#chars.slice(this.#at, this.#at + 12).join("");
    const found = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(rest);
    if (!found) return undefined;
    this.#at += found[0].length;
    const least = Number(found[1]);
    const most = !found[2] ? least : found[3] ? Number(found[3]) : Infinity;
    if (most < least) throw this.#wrong("{n,m} has its larger number first");
    return [least, most];
  }

  /** @returns {Piece} */
  #one() {
    const char = this.#chars[this.#at++];
    if (char === "(") return this.#group();
    if (char === "[") return take(this.#class());
    if (char === ".") return take(() => true);
    if (char === "^") return look((before) => before === undefined);
    if (char === "$") return look((_, after) => after === undefined);
    if ("*+?".includes(char)) throw this.#wrong(`${char} has nothing before it to repeat`);
    if (char !== "\\") return take(this.#same(char));
    const escaped = this.#chars[this.#at++];
    if (escaped === "b") return look((before, after) => isWord(before) !== isWord(after));
    if (escaped === "B") return look((before, after) => isWord(before) === isWord(after));
    return take(this.#escape(escaped));
  }

  /** @returns {Piece} */
  #group() {
    if (this.#next("?") && !this.#next(":"))
      throw this.#wrong("groups that begin with (? are not understood");
    const piece = this.#either();
    if (!this.#next(")")) throw this.#wrong("a ( has no )");
    return piece;
  }

  /**
   * @param {string | undefined} char
   * @returns {Test}
   */
  #escape(char) {
    if (char === undefined) throw this.#wrong("it ends in a backslash");
    if (Object.hasOwn(CLASSES, char)) return CLASSES[char];
    const opposite = CLASSES[char.toLowerCase()];
    if (opposite && char !== char.toLowerCase()) return (each) => !opposite(each);
    if (/[1-9a-zA-Z]/.test(char) && !Object.hasOwn(ESCAPES, char))
      throw this.#wrong(`\\${char} is not understood`);
    return this.#same(ESCAPES[char] ?? char);
  }

  /**
   * @param {string} char
   * @returns {Test}
   */
  #same(char) {
    if (!this.#ignoreCase) return (each) => each === char;
    const folded = char.toLowerCase();
    return (each) => each.toLowerCase() === folded;
  }

  /** @returns {Test} */
  #class() {
    const isOpposite = this.#next("^");
    /** @type {Test[]} */
    const tests = [];
    do {
      // A ] that stands first means itself.
      if (this.#at >= this.#chars.length) throw this.#wrong("a [ has no ]");
      tests.push(this.#member());
    } while (!this.#next("]"));
    return (char) => tests.some((test) => test(char)) !== isOpposite;
  }

  /** @returns {Test} */
  #member() {
    const from = this.#chars[this.#at++];
    if (from === "\\") return this.#escape(this.#chars[this.#at++]);
    const [dash, to] = this.#chars.slice(this.#at, this.#at + 2);
    if (dash !== "-" || to === undefined || to === "]") return this.#same(from);
    this.#at += 2;
    if (to < from) throw this.#wrong(`${from}-${to} is the wrong way round`);
    const isBetween = (/** @type {string} */ char) => from <= char && char <= to;
    if (!this.#ignoreCase) return isBetween;
    return (char) => isBetween(char.toLowerCase()) || isBetween(char.toUpperCase());
  }

  /** @param {string} char */
  #next(char) {
    if (this.#chars[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  /** @param {string} what */
  #wrong(what) {
    return new WorkspaceError(`query: not a regular expression: ${what}, at character ${this.#at}`);
  }
}

/** @type {(test: Test) => Piece} */
const take = (test) => () => [{ take: test }];
/** @type {(test: Look) => Piece} */
const look = (test) => () => [{ look: test }];

/**
 * @param {Piece[]} pieces
 * @returns {Piece}
 */
function row(pieces) {
  return (at) => {
    /** @type {Step[]} */
    const steps = [];
    for (const piece of pieces) {
      steps.push(...piece(at + steps.length));
      bounded(steps);
    }
    return steps;
  };
}

/**
 * @param {Piece} piece
 * @param {[number, number]} times
 * @returns {Piece}
 */
function repeat(piece, [least, most]) {
  if (!piece(0).length) return piece; // nothing, however often
  const needed = Array.from({ length: least }, () => piece);
  if (most === Infinity) return row([...needed, any(piece)]);
  return row([...needed, ...Array.from({ length: most - least }, () => maybe(piece))]);
}

/** @type {(piece: Piece) => Piece} */
const maybe = (piece) => (at) => {
  const inner = piece(at + 1);
  return [{ goTo: [at + 1, at + 1 + inner.length] }, ...inner];
};

/** @type {(piece: Piece) => Piece} */
const any = (piece) => (at) => {
  const inner = piece(at + 1);
  return [{ goTo: [at + 1, at + 2 + inner.length] }, ...inner, { goTo: [at] }];
};

/** @param {Step[]} steps */
function bounded(steps) {
  if (steps.length > MAX_STEPS)
    throw new WorkspaceError("query: the regular expression is too large");
  return steps;
}
