/**
 * What this device keeps of an activity until the server has it: answers being written, and those
 * that are on their way. Each has an entry of its own, so that two tabs do not overwrite each other.
 */

const START = "rollcall.activity.";

export class Kept {
  readonly #start: string;

  /** Of one user and one version of a content; what was kept of others is forgotten. */
  constructor(uid: string, contentId: string, version: number) {
    const content = `${START}${uid}.${contentId}.`;
    this.#start = `${content}${version}.`;
    for (const key of keysFrom(content)) if (!key.startsWith(this.#start)) localStorage.removeItem(key);
  }

  read<T>(name: string): T | undefined {
    const found = localStorage.getItem(this.#start + name);
    return found === null ? undefined : (JSON.parse(found) as T);
  }

  write(name: string, value: unknown): void {
    if (value === undefined) localStorage.removeItem(this.#start + name);
    else localStorage.setItem(this.#start + name, JSON.stringify(value));
  }

  clear(): void {
    for (const key of keysFrom(this.#start)) localStorage.removeItem(key);
  }
}

function keysFrom(start: string): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(start));
}
