/**
 * A test whether a line has a match.
 * @param {string} source
 * @param {{ ignoreCase?: boolean, isWhole?: boolean }} [options] Whether all of the line must match.
 * @returns {(line: string) => boolean}
 * @throws {WorkspaceError} The expression is invalid or not supported.
 */
export function matcher(source: string, { ignoreCase, isWhole }?: {
    ignoreCase?: boolean;
    isWhole?: boolean;
}): (line: string) => boolean;
export type Test = (char: string) => boolean;
export type Look = (before: string | undefined, after: string | undefined) => boolean;
/**
 * An instruction: consume a character, test the characters around, or jump to one or two steps.
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
