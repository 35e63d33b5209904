/** An activity that a tool made: it opens beside the chat, where its teacher can try it. */

import type { ShownCall } from "@rollcall/client";
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";

import type { PlayerProps } from "../activity/player.js";
import { later } from "../app/later.js";
import { CurrentConnection } from "../firebase/current.js";
import { text } from "../text/locale.js";
import { openBeside } from "./beside.js";
import { resultOf } from "./outcome.js";

const Player = later<PlayerProps>(() => import("../activity/player.js").then(({ Player }) => Player));

export function MadeActivity({ call, children }: { call: ShownCall; children: ComponentChildren }) {
  const connection = useContext(CurrentConnection);
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
            onClick={() => openBeside(<Player connection={connection} contentId={contentId} />, name)}
          >
            {text("files.open")}
            <span class="visually-hidden"> {name}</span>
          </button>
        </p>
      )}
    </>
  );
}
