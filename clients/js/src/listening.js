/** Who is told of a run as it happens. */

/** @import { AgentEvent } from "./events.js" */
/** @import { ArgumentsNews } from "./transcript.js" */

/**
 * @typedef {object} Listeners
 * @property {(event: AgentEvent) => void} event Every event.
 * @property {(news: { delta: string, text: string, messageId: string }) => void} text
 * @property {(news: ArgumentsNews) => void} arguments A tool call's arguments grow.
 */

export class Listening {
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
   * Tell everybody; what a listener throws is an uncaught error of the app's, and the run goes on.
   * @template {keyof Listeners} Name
   * @param {Name} name
   * @param {Parameters<Listeners[Name]>[0]} news
   */
  tell(name, news) {
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
