/** The listeners of a run. */

/** @import { AgentEvent } from "./events.js" */
/** @import { ArgumentsDelta } from "./transcript.js" */

/**
 * @typedef {object} Listeners
 * @property {(event: AgentEvent) => void} event Every event.
 * @property {(news: { delta: string, text: string, messageId: string }) => void} text
 * @property {(news: ArgumentsDelta) => void} arguments A tool call's arguments grow.
 */

export class ListenerSet {
  /** @type {{ [Name in keyof Listeners]: Set<Listeners[Name]> }} */
  #listeners = { event: new Set(), text: new Set(), arguments: new Set() };

  /**
   * @template {keyof Listeners} Name
   * @param {Name} name
   * @param {Listeners[Name]} listener
   * @returns {() => void} Stops it.
   */
  on(name, listener) {
    this.#listeners[name].add(listener);
    return () => this.#listeners[name].delete(listener);
  }

  /**
   * Call the listeners of an event. What one throws becomes an uncaught error; the run goes on.
   * @template {keyof Listeners} Name
   * @param {Name} name
   * @param {Parameters<Listeners[Name]>[0]} news
   */
  notify(name, news) {
    for (const listener of this.#listeners[name]) {
      try {
        /** @type {(news: any) => void} */ (listener)(news);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
