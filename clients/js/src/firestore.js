/** Firebase's Firestore SDK, loaded when it is first needed. */

import { RollcallError } from "./errors.js";

/** @import { Firestore } from "firebase/firestore" */

/**
 * The SDK that the app's own Firestore is of. Two copies of it do not know each other's objects.
 * @param {Firestore} db
 * @returns {Promise<typeof import("firebase/firestore")>}
 * @throws {RollcallError} Another copy was found from here.
 */
export async function sdkOf(db) {
  const sdk = await import("firebase/firestore");
  if (db.type === "firestore" && !(db instanceof sdk.Firestore)) {
    throw new RollcallError(
      "failed-precondition",
      "two copies of Firebase are loaded: the app's, and another beside @rollcall/client",
      { hint: "install the client with `npm install --install-links <path>`, so that it has none" },
    );
  }
  return sdk;
}
