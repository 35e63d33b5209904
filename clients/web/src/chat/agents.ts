/** The agents that the user may ask. */

import { signal } from "@preact/signals";
import { httpsCallable } from "firebase/functions";

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

export async function loadAgents(connection: Connection): Promise<void> {
  const name = connection.functionName("list_capabilities");
  const list = httpsCallable<unknown, { agents: Agent[] }>(connection.functions, name);
  const { data } = await list({ locale: locale.value, limit: 1 });
  agents.value = data.agents;
  const isThere = data.agents.some(({ id }) => id === chosenAgent.value);
  if (!isThere) chosenAgent.value = data.agents[0]?.id;
}

export function agentName(id: string): string {
  return agents.value?.find((each) => each.id === id)?.name ?? id;
}
