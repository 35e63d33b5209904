/** @import { Firestore } from "firebase/firestore" */
/**
 * The SDK that the app's own Firestore is of. Two copies of it do not know each other's objects.
 * @param {Firestore} db
 * @returns {Promise<typeof import("firebase/firestore")>}
 * @throws {RollcallError} Another copy was found from here.
 */
export function sdkOf(db: Firestore): Promise<typeof import("firebase/firestore")>;
import type { Firestore } from "firebase/firestore";
