/** The tools' names in the user's language, and their schemas. */

import { signal } from "@preact/signals";

import type { Connection } from "../firebase/connection.js";
import { type Key, locale, text } from "../text/locale.js";

export interface Tool {
  id: string;
  name: string;
  jsonSchema: Record<string, unknown>;
  /** What the user's language calls arguments and their values, where it has a word of its own. */
  labels?: Record<string, string>;
}

const tools = signal<ReadonlyMap<string, Tool>>(new Map());
let loaded: string | undefined;

/** Load all tools, once for each user and language. Until then, cards show ids. */
export async function loadTools(connection: Connection): Promise<void> {
  const wanted = `${connection.uid} ${locale.value}`;
  if (loaded === wanted) return;
  loaded = wanted;
  try {
    const { rollcall } = await connection.store();
    const found: Tool[] = [];
    for (let after: string | undefined; ; ) {
      const page = await rollcall.capabilities({ locale: locale.value, ...(after && { after }) });
      found.push(...page.capabilities);
      after = page.next;
      if (!after) break;
    }
    if (loaded === wanted) learnTools(found); // or another language was chosen meanwhile
  } catch (error) {
    loaded = undefined;
    console.warn("the tools' names were not read", error);
  }
}

export function learnTools(found: Tool[]): void {
  tools.value = new Map(found.map((tool) => [tool.id, tool]));
}

export function toolOf(id: string): Tool | undefined {
  return tools.value.get(id);
}

/** The platform's own tools, which no list contains. */
const OWN = new Map<string, Key>([
  ["ask_user", "card.ask_user"],
  ["find_tools", "card.find_tools"],
]);

/** A tool's name; of one that is not known, its id as words. */
export function toolName(id: string): string {
  const own = OWN.get(id);
  return own ? text(own) : (tools.value.get(id)?.name ?? inWords(id));
}

/** A name in code as words: "dueDate" and "due_date" read "Due date", "videoUrl" reads "Video URL". */
export function inWords(name: string): string {
  const words = name.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|[_-]+/gu, " ").trim().split(" ");
  const plain = words.map((word) => {
    if (/^(?:id|url)$/i.test(word)) return word.toUpperCase();
    return /^\p{Lu}\p{Ll}/u.test(word) ? word.toLowerCase() : word;
  });
  const all = plain.join(" ");
  return all.charAt(0).toUpperCase() + all.slice(1);
}
