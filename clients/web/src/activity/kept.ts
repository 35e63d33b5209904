/**
 * What this device keeps of an activity until the server has it: answers being written, and those
 * that are on their way. Each has an entry of its own, so that two tabs do not overwrite each other.
 */

import { device, ofUser } from "../app/device.js";

export class Kept {
  readonly #start: string;

  /** Of one user and one version of a content; what was kept of others is forgotten. */
  constructor(uid: string, contentId: string, version: number) {
    const content = `${ofUser(uid)}activity.${contentId}.`;
    this.#start = `${content}${version}.`;
    for (const name of device.names(content)) if (!name.startsWith(this.#start)) device.delete(name);
  }

  read<T>(name: string): T | undefined {
    const found = device.get(this.#start + name);
    return found === null ? undefined : (JSON.parse(found) as T);
  }

  write(name: string, value: unknown): void {
    if (value === undefined) device.delete(this.#start + name);
    else device.set(this.#start + name, JSON.stringify(value));
  }

  clear(): void {
    for (const name of device.names(this.#start)) device.delete(name);
  }
}
