/** The card of an activity that a tool made, with a button that opens it in the side panel. */

import type { ShownCall } from "@rollcall/client";
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";

import type { PlayerProps } from "../activity/player.js";
import { lazy } from "../app/lazy.js";
import { ConnectionContext } from "../firebase/connection_context.js";
import { text } from "../text/locale.js";
import { useSidePanel } from "./side_panel.js";
import { resultOf } from "./outcome.js";

const Player = lazy<PlayerProps>(() => import("../activity/player.js").then(({ Player }) => Player));

export function ActivityCard({ call, children }: { call: ShownCall; children: ComponentChildren }) {
  const connection = useContext(ConnectionContext);
  const openSidePanel = useSidePanel();
  const { contentId, title, blocks } = (resultOf(call) ?? {}) as Record<string, unknown>;
  const isPlayed = typeof contentId === "string" && Array.isArray(blocks) && blocks.length > 0;
  const name = String(title ?? "");
  return (
    <>
      {children}
      {isPlayed && connection && (
        <p class="tool-action">
          <button
            type="button"
            class="button small"
            onClick={() => openSidePanel(<Player connection={connection} contentId={contentId} />, name)}
          >
            {text("files.open")}
            <span class="visually-hidden"> {name}</span>
          </button>
        </p>
      )}
    </>
  );
}
