/** Where a link of a text may lead. */

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
  const claimed = /(?:[\w-]+\.)+[a-z]{2,}/i.exec(label)?.[0].toLowerCase();
  const isOther = claimed !== undefined && !label.includes(host) && bare(claimed) !== bare(host);
  return { href, isElsewhere: true, ...(isOther && { host }) };
}

function bare(host: string): string {
  return host.replace(/^www\./, "");
}
