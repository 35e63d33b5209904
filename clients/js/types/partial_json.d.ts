/** The text is not JSON. `position` counts characters from its start. */
export class PartialJsonError extends SyntaxError {
    /**
     * @param {string} message
     * @param {number} position
     */
    constructor(message: string, position: number);
    position: number;
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
    /**
     * @param {object} [options]
     * @param {number} [options.depth] How deep objects and lists may be nested.
     * @param {(path: Path, text: string) => void} [options.onText] Told of each piece that was added
     *   to a string, by the place of the string; never of half a character.
     */
    constructor({ depth, onText }?: {
        depth?: number | undefined;
        onText?: ((path: Path, text: string) => void) | undefined;
    });
    /** The value so far; undefined at first. The same object grows. */
    get value(): any;
    /** Whether the document is complete. For a bare number, only `end` can tell. */
    get isWhole(): boolean;
    /**
     * Parse the next chunk.
     * @param {string} piece
     * @throws {PartialJsonError} The text is not JSON. The reader accepts no more.
     */
    push(piece: string): void;
    /**
     * End the document, and return its value.
     * @returns {any} The whole value.
     * @throws {PartialJsonError} It is incomplete.
     */
    end(): any;
    #private;
}
/**
 * The path of a value, such as ["edits", 0, "newText"].
 */
export type Path = (string | number)[];
/**
 * An open object or list. `expects` is what may come next in it.
 */
export type Level = {
    container: any;
    isList: boolean;
    key: string | number;
    expects: "first" | "key" | "colon" | "value" | "comma";
};
