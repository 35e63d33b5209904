/** Blocks without an answer: texts, tables, pictures, cards. */

import { useSignal } from "@preact/signals";
import { useContext, useEffect } from "preact/hooks";

import { call } from "../firebase/calls.js";
import { ConnectionContext } from "../firebase/connection_context.js";
import { Line, Words } from "../markdown/prose.js";
import { directionOf } from "../text/direction.js";
import { direction } from "../text/locale.js";
import { directionOfAll, Paragraphs } from "./prose.js";
import { say } from "./texts.js";
import type { Block } from "./wire.js";

export function ContentBlock({ block }: { block: Block }) {
  const { kind, stem, rows } = block;
  const dir = directionOfAll([stem, ...rows.flat()]);
  return (
    <section class="reading" part="reading" dir={dir} aria-label={say(`reading.${kind as "text"}`)} data-kind={kind}>
      {stem && <Paragraphs>{stem}</Paragraphs>}
      {kind === "table" && <Rows rows={rows} />}
      {kind === "image" && <Picture block={block} />}
      {kind === "cards" && <Cards cards={block.cards} />}
    </section>
  );
}

function Rows({ rows: [header = [], ...rows] }: { rows: string[][] }) {
  const cell = (text: string) => {
    const dir = directionOf(text) ?? (/\d/.test(text) ? "ltr" : direction.value);
    return (
      <bdi dir={dir}>
        <Words text={text} around={dir} />
      </bdi>
    );
  };
  return (
    <div class="table-frame" role="group" tabIndex={0} aria-label={say("reading.table")}>
      <table>
        <thead>
          <tr>
            {header.map((text, at) => (
              <th key={at} scope="col">
                {cell(text)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((text, at) => (
                <td key={at}>{cell(text)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A picture, which the server gives to whoever may open the activity. */
function Picture({ block: { blockId, image } }: { block: Block }) {
  const connection = useContext(ConnectionContext);
  const source = useSignal<string | undefined>(undefined);
  const hasFailed = useSignal(false);
  const load = async () => {
    hasFailed.value = false;
    try {
      const name = "get_activity_image";
      const found = await call<{ contentType: string; content: string }>(connection!, name, { blockId });
      source.value = `data:${found.contentType};base64,${found.content}`;
    } catch (error) {
      console.warn("a picture was not loaded", error);
      hasFailed.value = true;
    }
  };
  useEffect(() => void load(), []);
  const alt = image?.alt ?? "";
  if (source.value) return <img class="picture" src={source.value} alt={alt} />;
  return (
    <div class="picture missing" role="img" aria-label={alt || say("reading.image")}>
      {alt && <Line>{alt}</Line>}
      {hasFailed.value && (
        <button type="button" class="button small" onClick={() => void load()}>
          {say("image.again")}
        </button>
      )}
    </div>
  );
}

/** Cards that are turned by pressing them. On paper both sides are shown. */
function Cards({ cards }: { cards: Block["cards"] }) {
  const turned = useSignal<ReadonlySet<number>>(new Set());
  const turn = (at: number) => {
    const now = new Set(turned.value);
    if (!now.delete(at)) now.add(at);
    turned.value = now;
  };
  return (
    <ul class="cards">
      {cards.map(({ front, back }, at) => {
        const isTurned = turned.value.has(at);
        return (
          <li key={at}>
            <button type="button" class="flip" data-turned={isTurned || undefined} onClick={() => turn(at)}>
              <span class="quiet">{say(isTurned ? "card.back" : "card.front")}</span>
              <span class="side" hidden={isTurned}>
                <Line>{front}</Line>
              </span>
              <span class="side" hidden={!isTurned}>
                <Line>{back}</Line>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
