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
    /**
     * @template {keyof Listeners} Name
     * @param {Name} name
     * @param {Listeners[Name]} listener
     * @returns {() => void} Stops it.
     */
    on<Name extends keyof Listeners>(name: Name, listener: Listeners[Name]): () => void;
    /**
     * Tell everybody; what a listener throws is an uncaught error of the app's, and the run goes on.
     * @template {keyof Listeners} Name
     * @param {Name} name
     * @param {Parameters<Listeners[Name]>[0]} news
     */
    tell<Name extends keyof Listeners>(name: Name, news: Parameters<Listeners[Name]>[0]): void;
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
    arguments: (news: ArgumentsNews) => void;
};
import type { AgentEvent } from "./events.js";
import type { ArgumentsNews } from "./transcript.js";
