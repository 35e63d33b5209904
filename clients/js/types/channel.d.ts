/**
 * A line of values with one writer and any number of readers. The first reader gets all from the
 * start; one that comes later, what comes from then on. What every reader has passed is forgotten.
 */
/**
 * @template T
 * @typedef {{ value?: T, next?: Link<T> }} Link
 */
/** @template T */
export class Channel<T> {
    /**
     * Add a value; a channel that is closed takes none.
     * @param {T} value
     */
    push(value: T): void;
    /** No more values come. */
    close(): void;
    /**
     * No more values come, and every reader is given this error at its end.
     * @param {unknown} error
     */
    fail(error: unknown): void;
    /** @returns {AsyncGenerator<T, void, void>} */
    [Symbol.asyncIterator](): AsyncGenerator<T, void, void>;
    #private;
}
export type Link<T> = {
    value?: T;
    next?: Link<T>;
};
