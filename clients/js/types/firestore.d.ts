/** @import { Firestore } from "firebase/firestore" */
/**
 * The SDK of the app's Firestore object. Two copies of the SDK reject each other's objects.
 * @param {Firestore} db
 * @returns {Promise<typeof import("firebase/firestore")>}
 * @throws {RollcallError} This package resolves to another copy.
 */
export function sdkOf(db: Firestore): Promise<typeof import("firebase/firestore")>;
import type { Firestore } from "firebase/firestore";
