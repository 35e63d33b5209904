/**
 * The device's storage for an activity's answers until the server has them: drafts, and answers being
 * sent. Each has its own entry, so that two tabs do not overwrite each other.
 */

import { device, ofUser } from "../app/device.js";

export class AnswerStorage {
  readonly #prefix: string;

  /** For one user and one version of a content. Entries of other versions are deleted. */
  constructor(uid: string, contentId: string, version: number) {
    const content = `${ofUser(uid)}activity.${contentId}.`;
    this.#prefix = `${content}${version}.`;
    for (const name of device.names(content)) if (!name.startsWith(this.#prefix)) device.delete(name);
  }

  read<T>(name: string): T | undefined {
    const found = device.get(this.#prefix + name);
    return found === null ? undefined : (JSON.parse(found) as T);
  }

  write(name: string, value: unknown): void {
    if (value === undefined) device.delete(this.#prefix + name);
    else device.set(this.#prefix + name, JSON.stringify(value));
  }

  clear(): void {
    for (const name of device.names(this.#prefix)) device.delete(name);
  }
}
