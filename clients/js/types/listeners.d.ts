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
    /**
     * @template {keyof Listeners} Name
     * @param {Name} name
     * @param {Listeners[Name]} listener
     * @returns {() => void} Stops it.
     */
    on<Name extends keyof Listeners>(name: Name, listener: Listeners[Name]): () => void;
    /**
     * Call the listeners of an event. What one throws becomes an uncaught error; the run goes on.
     * @template {keyof Listeners} Name
     * @param {Name} name
     * @param {Parameters<Listeners[Name]>[0]} news
     */
    notify<Name extends keyof Listeners>(name: Name, news: Parameters<Listeners[Name]>[0]): void;
    #private;
}
export type Listeners = {
    /**
     * Every event.
     */
    event: (event: AgentEvent) => void;
    text: (news: {
        delta: string;
        text: string;
        messageId: string;
    }) => void;
    /**
     * A tool call's arguments grow.
     */
    arguments: (news: ArgumentsDelta) => void;
};
import type { AgentEvent } from "./events.js";
import type { ArgumentsDelta } from "./transcript.js";
