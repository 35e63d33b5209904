export class Locks {
    /** An id of all that share these locks: a browser's tabs of this site, or this process or page. */
    get place(): string;
    /**
     * Wait until nobody else holds what has this name, and hold it.
     * @param {string} name
     * @param {AbortSignal} signal Ends the waiting.
     * @returns {Promise<() => void>} Gives it back; a second time does nothing.
     */
    take(name: string, signal: AbortSignal): Promise<() => void>;
    #private;
}
