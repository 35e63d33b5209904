/**
 * A test whether a line has a match in it.
 * @param {string} source
 * @param {{ ignoreCase?: boolean, isWhole?: boolean }} [options] Whether all of the line must match.
 * @returns {(line: string) => boolean}
 * @throws {WorkspaceError} The expression cannot be read.
 */
export function matcher(source: string, { ignoreCase, isWhole }?: {
    ignoreCase?: boolean;
    isWhole?: boolean;
}): (line: string) => boolean;
export type Test = (char: string) => boolean;
export type Look = (before: string | undefined, after: string | undefined) => boolean;
/**
 * One instruction: take a character, look at the characters around, or go on at one place or at two.
 */
export type Step = {
    take?: Test;
    look?: Look;
    goTo?: number[];
};
/**
 * Makes the steps of a part of a pattern, to stand at `at`.
 */
export type Piece = (at: number) => Step[];
