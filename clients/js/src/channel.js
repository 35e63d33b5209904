/**
 * A stream of values with one writer and any number of readers. The first reader gets all values,
 * later ones those from then on. Values that every reader has passed are garbage-collected.
 */

/**
 * @template T
 * @typedef {{ value?: T, next?: Link<T> }} Link
 */

/** @template T */
export class Channel {
  /** @type {Link<T>} The newest; it is empty until the next value comes. */
  #last = {};
  /** @type {Link<T> | undefined} The first, until somebody begins to read. */
  #first = this.#last;
  #isClosed = false;
  /** @type {{ error: unknown } | undefined} */
  #failure;
  /** @type {(() => void)[]} */
  #readers = [];

  /**
   * Add a value. A closed channel ignores it.
   * @param {T} value
   */
  push(value) {
    if (this.#isClosed) return;
    const next = {};
    this.#last.value = value;
    this.#last.next = next;
    this.#last = next;
    this.#wake();
  }

  /** Close the channel. */
  close() {
    this.#isClosed = true;
    this.#wake();
  }

  /**
   * Close the channel; every reader gets this error at its end.
   * @param {unknown} error
   */
  fail(error) {
    if (!this.#isClosed) this.#failure = { error };
    this.close();
  }

  #wake() {
    const waiting = this.#readers;
    this.#readers = [];
    for (const wake of waiting) wake();
  }

  /** @returns {AsyncGenerator<T, void, void>} */
  [Symbol.asyncIterator]() {
    const from = this.#first ?? this.#last;
    this.#first = undefined;
    return this.#read(from);
  }

  /**
   * @param {Link<T>} link
   * @returns {AsyncGenerator<T, void, void>}
   */
  async *#read(link) {
    for (;;) {
      while (link.next) {
        yield /** @type {T} */ (link.value);
        link = link.next;
      }
      if (this.#failure) throw this.#failure.error;
      if (this.#isClosed) return;
      await new Promise((resolve) => this.#readers.push(() => resolve(undefined)));
    }
  }
}
