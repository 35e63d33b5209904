/**
 * The rule that guards a path, or undefined.
 * @param {string[]} parts
 * @returns {Guarded | undefined}
 */
export function guardedFile(parts: string[]): Guarded | undefined;
/**
 * The paths that a command names literally, without quotes. Names that the shell assembles
 * (`a=.e; cat ${a}nv`) are not detected: a person approves the command.
 * @param {string} command
 * @returns {string[]}
 */
export function pathsIn(command: string): string[];
/**
 * A regular expression for a shell's wildcard pattern of one name.
 * @param {string} glob With `*`, `?` and `[…]`.
 */
export function pattern(glob: string): RegExp;
/** @param {string} digits */
export function temporaryName(digits: string): string;
/**
 * Whether it is a temporary file of this client.
 * @param {string} name
 */
export function isTemporary(name: string): boolean;
export type Kind = "secret" | "repository" | "startup" | "project";
export type Guarded = {
    kind: Kind;
    reason: string;
};
