/** `<rollcall-activity content locale>`: an activity, or the list of those that there are. */

import { useSignal } from "@preact/signals";

import { lazy } from "../app/lazy.js";
import type { ListProps } from "../activity/list.js";
import type { PlayerProps } from "../activity/player.js";
import type { Connection } from "../firebase/connection.js";
import { text } from "../text/locale.js";
import { Pages, RollcallElement } from "./element.js";

const Player = lazy<PlayerProps>(() => import("../activity/player.js").then(({ Player }) => Player));
const ActivityList = lazy<ListProps>(() => import("../activity/list.js").then((all) => all.ActivityList));

export class ActivityElement extends RollcallElement {
  static readonly observedAttributes = ["content", "locale"];

  protected view(connection: Connection) {
    const { content } = this.attributesNow.value;
    return (
      <ActivityPart
        key={content}
        connection={connection}
        content={content ?? undefined}
        tell={(name, detail) => this.tell(name, detail)}
      />
    );
  }
}

interface Props {
  connection: Connection;
  content: string | undefined;
  tell: (name: string, detail: object) => void;
}

function ActivityPart({ connection, content, tell }: Props) {
  const opened = useSignal(content);
  const contentId = opened.value;
  return (
    <Pages page={contentId} name={text("activity.title")}>
      {contentId ? (
        <Player
          key={contentId}
          connection={connection}
          contentId={contentId}
          onProgress={(progress) => tell("rollcall-progress", progress)}
          {...(!content && { onBack: () => (opened.value = undefined) })}
        />
      ) : (
        <ActivityList connection={connection} onOpen={(id) => (opened.value = id)} />
      )}
    </Pages>
  );
}
