/** The view of activities: the list of them, or the one that the address names. */

import { go, place } from "../app/place.js";
import type { Connection } from "../firebase/connection.js";
import { ActivityList } from "./list.js";
import { Player } from "./player.js";

export function ActivityView({ connection }: { connection: Connection }) {
  const { id } = place.value;
  if (!id) return <ActivityList connection={connection} onOpen={(id) => go({ view: "activity", id })} />;
  return <Player key={id} connection={connection} contentId={id} onBack={() => go({ view: "activity" })} />;
}
