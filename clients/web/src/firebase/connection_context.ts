/** The context with the Firebase connection of a view. */

import { createContext } from "preact";

import type { Connection } from "./connection.js";

export const ConnectionContext = createContext<Connection | undefined>(undefined);
