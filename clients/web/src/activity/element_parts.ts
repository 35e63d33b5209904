/** What the element loads when it is first shown. */

export { ActivityList } from "./list.js";
export { Player } from "./player.js";
