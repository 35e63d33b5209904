/** Firebase's Firestore SDK, loaded on first use. */

import { RollcallError } from "./errors.js";

/** @import { Firestore } from "firebase/firestore" */

/**
 * The SDK of the app's Firestore object. Two copies of the SDK reject each other's objects.
 * @param {Firestore} db
 * @returns {Promise<typeof import("firebase/firestore")>}
 * @throws {RollcallError} This package resolves to another copy.
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
