/** What was read is no JSON. `position` counts characters from the document's start. */
export class PartialJsonError extends SyntaxError {
    /**
     * @param {string} message
     * @param {number} position
     */
    constructor(message: string, position: number);
    position: number;
}
/**
 * Where in the value something stands, as in ["edits", 0, "newText"].
 * @typedef {(string | number)[]} Path
 */
/**
 * An object or a list that is being read. `expects` is what may come next in it.
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
    /** What has come so far; undefined before anything has. The same object grows. */
    get value(): any;
    /** Whether the document is whole. Of a number at the top only `end` can say that. */
    get isWhole(): boolean;
    /**
     * Take the next piece.
     * @param {string} piece
     * @throws {PartialJsonError} It is no JSON. The reader takes nothing more.
     */
    push(piece: string): void;
    /**
     * The document ends here.
     * @returns {any} The whole value.
     * @throws {PartialJsonError} It is not whole.
     */
    end(): any;
    #private;
}
/**
 * Where in the value something stands, as in ["edits", 0, "newText"].
 */
export type Path = (string | number)[];
/**
 * An object or a list that is being read. `expects` is what may come next in it.
 */
export type Level = {
    container: any;
    isList: boolean;
    key: string | number;
    expects: "first" | "key" | "colon" | "value" | "comma";
};
