/**
 * Why a path is guarded; undefined where it is not.
 * @param {string[]} parts
 * @returns {Guarded | undefined}
 */
export function guardedFile(parts: string[]): Guarded | undefined;
/**
 * The paths that a command plainly names, quotes taken away. What a shell puts together
 * (`a=.e; cat ${a}nv`) is not found: a person approves the command.
 * @param {string} command
 * @returns {string[]}
 */
export function pathsIn(command: string): string[];
/**
 * A test whether a name is one of those a shell's pattern of one name means.
 * @param {string} glob With `*`, `?` and `[…]`.
 */
export function pattern(glob: string): RegExp;
/** @param {string} digits */
export function temporaryName(digits: string): string;
/**
 * Whether it is a file of ours that is not written whole.
 * @param {string} name
 */
export function isTemporary(name: string): boolean;
export type Kind = "secret" | "repository" | "startup" | "project";
export type Guarded = {
    kind: Kind;
    reason: string;
};
