/**
 * An incremental JSON parser. It takes time proportional to the length of the text: no character is
 * parsed twice.
 *
 *     const reader = new PartialJson({ onText: (path, text) => show(path, text) });
 *     reader.push('{"content": "Hel');   // reader.value is {content: "Hel"}
 *     reader.push('lo"}');
 *     reader.end();                      // what JSON.parse returns for the whole text
 *
 * It accepts exactly what JSON.parse accepts, up to a depth. Numbers and literals (true, false, null)
 * appear once they are complete; strings grow.
 */

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const WORDS = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
/** @type {Record<string, string>} */
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** The text is not JSON. `position` counts characters from its start. */
export class PartialJsonError extends SyntaxError {
  /**
   * @param {string} message
   * @param {number} position
   */
  constructor(message, position) {
    super(`${message}, at character ${position}`);
    this.name = "PartialJsonError";
    this.position = position;
  }
}

/**
 * The path of a value, such as ["edits", 0, "newText"].
 * @typedef {(string | number)[]} Path
 */

/**
 * An open object or list. `expects` is what may come next in it.
 * @typedef {{
 *   container: any,
 *   isList: boolean,
 *   key: string | number,
 *   expects: "first" | "key" | "colon" | "value" | "comma",
 * }} Level
 */

export class PartialJson {
  /** @type {any} */
  #value;
  #isWhole = false;
  /** @type {Level[]} */
  #levels = [];
  #depth;
  #onText;
  #position = 0;
  /** @type {Error | undefined} */
  #failure;

  /** The parser's state: between tokens, in a string, or in a number or literal. */
  #state = /** @type {"between" | "string" | "atom"} */ ("between");
  #atom = "";
  #isKey = false;
  #text = "";
  /** The escape sequence so far, from its backslash. */
  #escape = "";
  /** A high surrogate, held back until its low surrogate comes. */
  #half = "";

  /**
   * @param {object} [options]
   * @param {number} [options.depth] How deep objects and lists may be nested.
   * @param {(path: Path, text: string) => void} [options.onText] Told of each piece that was added
   *   to a string, by the place of the string; never of half a character.
   */
  constructor({ depth = 100, onText } = {}) {
    this.#depth = depth;
    this.#onText = onText;
  }

  /** The value so far; undefined at first. The same object grows. */
  get value() {
    return this.#value;
  }

  /** Whether the document is complete. For a bare number, only `end` can tell. */
  get isWhole() {
    return this.#isWhole;
  }

  /**
   * Parse the next chunk.
   * @param {string} piece
   * @throws {PartialJsonError} The text is not JSON. The reader accepts no more.
   */
  push(piece) {
    if (this.#failure) throw this.#failure;
    let at = 0;
    try {
      while (at < piece.length) {
        if (this.#state === "string") at = this.#readString(piece, at);
        else if (this.#state === "atom") at = this.#readAtom(piece, at);
        else at = this.#readBetween(piece, at);
      }
    } catch (error) {
      this.#failure = /** @type {Error} */ (error);
      throw error;
    }
    this.#position += piece.length;
  }

  /**
   * End the document, and return its value.
   * @returns {any} The whole value.
   * @throws {PartialJsonError} It is incomplete.
   */
  end() {
    if (this.#failure) throw this.#failure;
    if (this.#state === "atom") this.#endAtom(0);
    if (!this.#isWhole) throw this.#wrong("the document ends before it is whole", 0);
    return this.#value;
  }

  /**
   * @param {string} message
   * @param {number} at
   */
  #wrong(message, at) {
    return new PartialJsonError(message, this.#position + at);
  }

  /**
   * @param {string} piece
   * @param {number} at
   */
  #readBetween(piece, at) {
    const char = piece[at];
    if (char === " " || char === "\n" || char === "\r" || char === "\t") return at + 1;
    const level = this.#levels.at(-1);
    if (level && this.#readMark(level, char)) return at + 1;
    this.#begin(level, char, at);
    // A number or a word has no mark at its beginning.
    return this.#state === "atom" ? at : at + 1;
  }

  /**
   * Take a comma, a colon or a closing bracket, if it may stand here.
   * @param {Level} level
   * @param {string} char
   */
  #readMark(level, char) {
    const { expects, isList } = level;
    if (char === (isList ? "]" : "}") && (expects === "first" || expects === "comma")) {
      this.#levels.pop();
      this.#ended();
    } else if (char === "," && expects === "comma") {
      if (isList) level.key = /** @type {number} */ (level.key) + 1;
      level.expects = isList ? "value" : "key";
    } else if (char === ":" && expects === "colon") {
      level.expects = "value";
    } else {
      return false;
    }
    return true;
  }

  /**
   * Begin a key or a value.
   * @param {Level | undefined} level
   * @param {string} char
   * @param {number} at
   */
  #begin(level, char, at) {
    const isKey =
      !!level && !level.isList && (level.expects === "first" || level.expects === "key");
    if (isKey && char !== '"') throw this.#wrong("a key in quotes is missing", at);
    const may = level ? level.expects === "first" || level.expects === "value" : !this.#isWhole;
    if (!isKey && (!may || this.#isWhole))
      throw this.#wrong(`unexpected ${JSON.stringify(char)}`, at);
    if (char === '"') {
      this.#state = "string";
      this.#isKey = isKey;
      this.#text = "";
      if (!isKey) this.#put("");
    } else if (char === "{" || char === "[") {
      this.#open(char === "[", at);
    } else {
      this.#state = "atom";
      this.#atom = "";
    }
  }

  /**
   * @param {boolean} isList
   * @param {number} at
   */
  #open(isList, at) {
    if (this.#levels.length >= this.#depth) {
      throw this.#wrong(`nested deeper than ${this.#depth}`, at);
    }
    const container = isList ? [] : {};
    this.#put(container);
    this.#levels.push({ container, isList, key: isList ? 0 : "", expects: "first" });
  }

  /**
   * Set the value whose turn it is.
   * @param {any} value
   */
  #put(value) {
    const level = this.#levels.at(-1);
    if (!level) this.#value = value;
    else if (level.key === "__proto__") {
      const own = { value, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(level.container, level.key, own);
    } else level.container[level.key] = value;
  }

  /** The value whose turn it was is whole. */
  #ended() {
    const level = this.#levels.at(-1);
    if (level) level.expects = "comma";
    else this.#isWhole = true;
  }

  /**
   * @param {string} piece
   * @param {number} from
   */
  #readString(piece, from) {
    if (this.#escape) return this.#readEscape(piece, from);
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (code !== 0x22 && code !== 0x5c && code >= 0x20) continue;
      if (code < 0x20) throw this.#wrong("a control character stands in a string", at);
      this.#append(piece.slice(from, at));
      if (code === 0x22) this.#endString();
      else this.#escape = "\\";
      return at + 1;
    }
    this.#append(piece.slice(from));
    return piece.length;
  }

  /**
   * Take one character of an escape.
   * @param {string} piece
   * @param {number} at
   */
  #readEscape(piece, at) {
    const char = piece[at];
    if (this.#escape === "\\") {
      if (char === "u") {
        this.#escape = "\\u";
        return at + 1;
      }
      if (!Object.hasOwn(ESCAPES, char)) throw this.#wrong(`there is no escape \\${char}`, at);
      this.#escape = "";
      this.#append(ESCAPES[char]);
      return at + 1;
    }
    if (!/[0-9a-fA-F]/.test(char)) throw this.#wrong("four hexadecimal digits follow \\u", at);
    this.#escape += char;
    if (this.#escape.length === 6) {
      const code = Number.parseInt(this.#escape.slice(2), 16);
      this.#escape = "";
      this.#append(String.fromCharCode(code));
    }
    return at + 1;
  }

  /**
   * Add to the string; the first half of a character waits for its second.
   * @param {string} piece
   */
  #append(piece) {
    if (!piece) return;
    const text = this.#half + piece;
    const last = text.charCodeAt(text.length - 1);
    this.#half = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : "";
    this.#grow(this.#half ? text.slice(0, -1) : text);
  }

  /** @param {string} text */
  #grow(text) {
    if (!text) return;
    this.#text += text;
    if (this.#isKey) return;
    this.#put(this.#text);
    this.#onText?.(
      this.#levels.map((level) => level.key),
      text,
    );
  }

  #endString() {
    this.#grow(this.#half); // half a character that no other half followed
    this.#half = "";
    this.#state = "between";
    if (!this.#isKey) return this.#ended();
    const level = /** @type {Level} */ (this.#levels.at(-1));
    level.key = this.#text;
    level.expects = "colon";
  }

  /**
   * @param {string} piece
   * @param {number} from
   */
  #readAtom(piece, from) {
    let at = from;
    while (at < piece.length && /[-+.0-9A-Za-z]/.test(piece[at])) at++;
    this.#atom += piece.slice(from, at);
    if (at === piece.length) return at;
    this.#endAtom(at);
    return at;
  }

  /** @param {number} at */
  #endAtom(at) {
    const text = this.#atom;
    const isWord = WORDS.has(text);
    if (!isWord && !NUMBER.test(text)) {
      throw this.#wrong(`${JSON.stringify(text.slice(0, 20))} is no value`, at);
    }
    this.#put(isWord ? WORDS.get(text) : Number(text));
    this.#state = "between";
    this.#ended();
  }
}
