/** A hook that calls a capability. */

import type { RollcallError } from "@rollcall/client";
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { call } from "../firebase/calls.js";
import type { Connection } from "../firebase/connection.js";
import { locale } from "../text/locale.js";

/** A loaded value or an error; empty while loading. */
export interface Loadable<T> {
  value?: T | undefined;
  problem?: RollcallError | undefined;
}

/**
 * Call a capability, and again when its arguments, `version` or the language change; without a name
 * nothing is called. Returns the result, which stays until there is a newer one, and a function that
 * calls again.
 */
export function useCall<Result>(
  connection: Connection,
  capability: string | undefined,
  args: object,
  version = "",
): [Signal<Loadable<Result>>, () => void] {
  const found = useSignal<Loadable<Result>>({});
  const load = () => {
    if (!capability) return undefined;
    let isNewest = true;
    call<Result>(connection, capability, args).then(
      (value) => isNewest && (found.value = { value }),
      (problem: RollcallError) => isNewest && (found.value = { ...found.peek(), problem }),
    );
    return () => void (isNewest = false);
  };
  useEffect(load, [connection, capability, JSON.stringify(args), version, locale.value]);
  return [found, () => void load()];
}
