export class Names {
    /**
     * @param {string} [prefix] The deployment's `ROLLCALL_PREFIX`; empty where it has none.
     * @throws {RollcallError} It cannot be a prefix.
     */
    constructor(prefix?: string);
    /**
     * The name of one of Rollcall's own functions.
     * @param {string} name
     */
    function(name: string): string;
    /**
     * The path of a collection or document: collection names and document ids in turn.
     * @param {string} collection
     * @param {string[]} rest
     * @returns {[string, ...string[]]}
     * @throws {RollcallError} No document can have one of the ids.
     */
    path(collection: string, ...rest: string[]): [string, ...string[]];
    #private;
}
