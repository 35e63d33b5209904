/**
 * A stream of values with one writer and any number of readers. The first reader gets all values,
 * later ones those from then on. Values that every reader has passed are garbage-collected.
 */
/**
 * @template T
 * @typedef {{ value?: T, next?: Link<T> }} Link
 */
/** @template T */
export class Channel<T> {
    /**
     * Add a value. A closed channel ignores it.
     * @param {T} value
     */
    push(value: T): void;
    /** Close the channel. */
    close(): void;
    /**
     * Close the channel; every reader gets this error at its end.
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
