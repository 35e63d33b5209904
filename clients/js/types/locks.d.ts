export class Locks {
    /**
     * Wait until nobody else holds what has this name, and hold it.
     * @param {string} name
     * @param {AbortSignal} signal Ends the waiting.
     * @returns {Promise<() => void>} Gives it back; a second time does nothing.
     */
    take(name: string, signal: AbortSignal): Promise<() => void>;
    #private;
}
