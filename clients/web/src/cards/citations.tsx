/** The sources of an answer, each of which can be opened. */

import type { Citation } from "@rollcall/client/wire";

import { Icon } from "../app/icon.js";
import { safeLink } from "../markdown/links.js";
import { Line } from "../markdown/prose.js";
import { dateTime, number, text } from "../text/locale.js";
import { useSidePanel } from "./side_panel.js";

export interface CitationsProps {
  citations: Citation[];
}

export function Citations({ citations }: CitationsProps) {
  if (!citations.length) return null;
  return (
    <details class="citations">
      <summary>{text("citations.title", { count: citations.length })}</summary>
      <ol>
        {citations.map((citation, at) => (
          <li key={at} value={citation.n || at + 1}>
            <Source citation={citation} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function Source({ citation }: { citation: Citation }) {
  const { title, url = "" } = citation;
  const openSidePanel = useSidePanel();
  const link = safeLink(url, title);
  const place = placeOf(citation);
  const name = <Line>{title || text("citations.untitled")}</Line>;
  return (
    <>
      {link?.isElsewhere ? (
        <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
          {name}
          <Icon name="link" />
        </a>
      ) : (
        <button
          type="button"
          class="text-button"
          onClick={() => openSidePanel(<Passage citation={citation} />, title)}
        >
          {name}
        </button>
      )}
      {place && <Line class="quiet">{place}</Line>}
    </>
  );
}

function Passage({ citation }: { citation: Citation }) {
  const place = placeOf(citation);
  return (
    <article class="passage">
      {place && (
        <p class="quiet">
          <Line>{place}</Line>
        </p>
      )}
      {citation.quote ? (
        <blockquote>
          <Line>{citation.quote}</Line>
        </blockquote>
      ) : (
        <p class="quiet">{text("citations.no_quote")}</p>
      )}
    </article>
  );
}

/** The position in the source. */
function placeOf({ code, edition, article, table, page, section, timestamp }: Citation): string {
  const parts = [
    code && [code, edition].filter(Boolean).join(" "),
    article && text("citations.article", { article }),
    table && text("citations.table", { table }),
    section,
    page && text("citations.page", { page: number(page) }),
    timestamp && !Number.isNaN(Date.parse(timestamp)) && dateTime(new Date(timestamp)),
  ];
  return parts.filter(Boolean).join(" · ");
}
