/** The names of Rollcall's own functions and collections, with the deployment's prefix. */

import { RollcallError } from "./errors.js";

const PREFIX = /^[a-z][a-z0-9]{0,15}$/;
/** What Firestore accepts as no document's id. */
const NO_ID = /^$|\/|^\.\.?$|^__.*__$/s;

export class Names {
  #start;

  /**
   * @param {string} [prefix] The deployment's `ROLLCALL_PREFIX`; empty where it has none.
   * @throws {RollcallError} It cannot be a prefix.
   */
  constructor(prefix = "") {
    if (prefix && !PREFIX.test(prefix)) {
      const form = 'a lower-case letter and up to 15 lower-case letters and digits, such as "rc"';
      const message = `prefix is ${form}, not ${JSON.stringify(prefix)}`;
      throw new RollcallError("invalid-argument", message, { field: "prefix" });
    }
    this.#start = prefix && `${prefix}_`;
  }

  /**
   * The name of one of Rollcall's own functions.
   * @param {string} name
   */
  function(name) {
    return this.#start + name;
  }

  /**
   * The path of a collection or document: collection names and document ids in turn.
   * @param {string} collection
   * @param {string[]} rest
   * @returns {[string, ...string[]]}
   * @throws {RollcallError} No document can have one of the ids.
   */
  path(collection, ...rest) {
    const at = rest.findIndex((id, at) => at % 2 === 0 && (typeof id !== "string" || NO_ID.test(id)));
    if (at !== -1) {
      throw new RollcallError("not-found", `no document has the id ${JSON.stringify(rest[at])}`);
    }
    const names = rest.map((name, at) => (at % 2 ? this.#start + name : name));
    return [this.#start + collection, ...names];
  }
}
