/** The view of activities: the list of them, or the one that the address names. */

import { navigate, route } from "../app/route.js";
import type { Connection } from "../firebase/connection.js";
import { ActivityList } from "./list.js";
import { Player } from "./player.js";

export function ActivityView({ connection }: { connection: Connection }) {
  const { id } = route.value;
  if (!id) return <ActivityList connection={connection} onOpen={(id) => navigate({ view: "activity", id })} />;
  return <Player key={id} connection={connection} contentId={id} onBack={() => navigate({ view: "activity" })} />;
}
