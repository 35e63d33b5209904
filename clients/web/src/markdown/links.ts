/** Which links of a text are safe. */

export interface SafeLink {
  href: string;
  /** Leads to another page than this app's. */
  isElsewhere: boolean;
  /** The host, where the link's text claims another one. */
  host?: string;
}

/** `https`, `mailto`, and places of this page; undefined for anything else. */
export function safeLink(href: string, label = ""): SafeLink | undefined {
  if (/[\x00-\x20\x7f-\x9f\\]/.test(href)) return undefined;
  if (/^(?:#|\/(?!\/))/.test(href)) return { href, isElsewhere: false };
  if (!/^(?:https:\/\/|mailto:)/i.test(href) || !URL.canParse(href)) return undefined;
  const { protocol, host, username, password } = new URL(href);
  if (username || password) return undefined; // https://bank.example@elsewhere.example
  if (protocol === "mailto:") return { href, isElsewhere: false };
  const isOther = claims(label).some((claimed) => bare(claimed) !== bare(host));
  return { href, isElsewhere: true, ...(isOther && { host }) };
}

/** The hosts of the addresses in a text. */
function claims(label: string): string[] {
  const words = label.toLowerCase().replace(/\p{Cf}/gu, "").split(/\s+/);
  return words.flatMap((word) => {
    const [place = ""] = word.replace(/^[^\p{L}\p{N}]*(?:[a-z][a-z+.\-]*:\/\/)?/u, "").split(/[/?#]/);
    return place.match(/(?:[\p{L}\p{N}_\-]+\.)+\p{L}[\p{L}\p{N}\-]+(?::\d+)?/gu) ?? [];
  });
}

function bare(host: string): string {
  return host.replace(/^www\./, "");
}
