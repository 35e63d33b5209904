export class Locks {
    /** The id of those that share these locks: the site's tabs in this browser, or this process or page. */
    get place(): string;
    /**
     * Acquire the lock of this name.
     * @param {string} name
     * @param {AbortSignal} signal Ends the wait.
     * @returns {Promise<() => void>} Releases it; a second call does nothing.
     */
    take(name: string, signal: AbortSignal): Promise<() => void>;
    #private;
}
