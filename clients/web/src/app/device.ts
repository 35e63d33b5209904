/** What this device keeps for the app, in the browser's storage. */

/**
 * Values by name. Where the browser forbids its storage, or has no room left, they last until the
 * page is left: nothing that a user does depends on being kept.
 */
class Values {
  readonly #storage: () => Storage;
  readonly #unstored = new Map<string, string>();

  /** Opening the storage may fail as well. */
  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  get(name: string): string | null {
    return this.#unstored.get(name) ?? this.#attempt((storage) => storage.getItem(name)) ?? null;
  }

  set(name: string, value: string): void {
    this.#unstored.set(name, value);
    this.#attempt((storage) => {
      storage.setItem(name, value);
      this.#unstored.delete(name);
    });
  }

  delete(name: string): void {
    this.#unstored.delete(name);
    this.#attempt((storage) => storage.removeItem(name));
  }

  /** The names that begin so. */
  names(start: string): string[] {
    const stored = this.#attempt((storage) => Object.keys(storage)) ?? [];
    return [...new Set([...stored, ...this.#unstored.keys()])].filter((name) => name.startsWith(start));
  }

  #attempt<T>(use: (storage: Storage) => T): T | undefined {
    try {
      return use(this.#storage());
    } catch (error) {
      if (error instanceof DOMException) return undefined; // a SecurityError, or a QuotaExceededError
      throw error;
    }
  }
}

export const device = new Values(() => localStorage);
/** The same for one tab. */
export const tab = new Values(() => sessionStorage);

/** The beginning of names of what belongs to one user. */
export function ofUser(uid: string): string {
  return `rollcall.user.${uid}.`;
}

/** Forget what belongs to a user: the next one at this device may be somebody else. */
export function forgetUser(uid: string): void {
  for (const name of device.names(ofUser(uid))) device.delete(name);
}
