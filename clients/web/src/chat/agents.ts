/** The agents that the user may ask. */

import type { RollcallError } from "@rollcall/client";
import { signal } from "@preact/signals";

import type { Connection } from "../firebase/connection.js";
import { locale } from "../text/locale.js";

export interface Agent {
  id: string;
  name: string;
}

/** Undefined until they are known. */
export const agents = signal<Agent[] | undefined>(undefined);
/** The agent of the next new conversation. */
export const chosenAgent = signal<string | undefined>(undefined);

/** Why they are not known. */
export const agentsProblem = signal<RollcallError | undefined>(undefined);
/** The user and the language that they are read for. */
let wanted: { uid: string; locale: string } | undefined;

/** Load the agents, once for each user and language, and again after a failure. */
export async function loadAgents(connection: Connection): Promise<void> {
  const mine = { uid: connection.uid, locale: locale.value };
  if (wanted?.uid === mine.uid && wanted.locale === mine.locale) return;
  if (wanted?.uid !== mine.uid) agents.value = undefined;
  wanted = mine;
  agentsProblem.value = undefined;
  try {
    const { rollcall } = await connection.store();
    const found = await rollcall.capabilities({ locale: mine.locale, limit: 1 });
    if (wanted !== mine) return;
    agents.value = found.agents;
    const isThere = found.agents.some(({ id }) => id === chosenAgent.value);
    if (!isThere) chosenAgent.value = found.agents[0]?.id;
  } catch (error) {
    if (wanted !== mine) return;
    wanted = undefined;
    agentsProblem.value = error as RollcallError;
  }
}

export function agentName(id: string): string {
  return agents.value?.find((each) => each.id === id)?.name ?? id;
}
