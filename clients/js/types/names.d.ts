export class Names {
    /**
     * @param {string} [prefix] The deployment's `ROLLCALL_PREFIX`; empty where it has none.
     * @throws {RollcallError} It cannot be a prefix.
     */
    constructor(prefix?: string);
    /**
     * What one of Rollcall's own functions is called.
     * @param {string} name
     */
    function(name: string): string;
    /**
     * Where a collection or a document is: names of collections and ids of documents, by turns.
     * @param {string} collection
     * @param {string[]} rest
     * @returns {[string, ...string[]]}
     */
    path(collection: string, ...rest: string[]): [string, ...string[]];
    #private;
}
