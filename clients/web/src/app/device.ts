/** The app's storage on this device. */

/**
 * Values by name. If the browser denies its storage, or it is full, they last until the page is
 * closed: nothing that a user does depends on them.
 */
class DeviceStorage {
  readonly #storage: () => Storage;
  readonly #unstored = new Map<string, string>();

  /** A function, since access to the storage may throw. */
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

  /** The names with a prefix. */
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

export const device = new DeviceStorage(() => localStorage);
/** The same for one tab. */
export const tab = new DeviceStorage(() => sessionStorage);

/** The prefix of names that belong to one user. */
export function ofUser(uid: string): string {
  return `rollcall.user.${uid}.`;
}

/** Delete a user's values: the next user of this device may be somebody else. */
export function forgetUser(uid: string): void {
  for (const name of device.names(ofUser(uid))) device.delete(name);
}
