/** The connection of the view that a component is in. */

import { createContext } from "preact";

import type { Connection } from "./connection.js";

export const CurrentConnection = createContext<Connection | undefined>(undefined);
