/**
 * Whether a path is known to lead to keys or passwords, or into what version control keeps.
 * @param {string[]} parts
 */
export function isSecret(parts: string[]): boolean;
/**
 * Whether what is written there runs when a shell, an editor or git does.
 * @param {string[]} parts
 */
export function runsByItself(parts: string[]): boolean;
/** @param {string} digits */
export function temporaryName(digits: string): string;
/**
 * Whether it is a file of ours that is not written whole.
 * @param {string} name
 */
export function isTemporary(name: string): boolean;
