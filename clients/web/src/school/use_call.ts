/** What a capability returns, read by a component. */

import type { RollcallError } from "@rollcall/client";
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { call } from "../firebase/calls.js";
import type { Connection } from "../firebase/connection.js";
import { locale } from "../text/locale.js";

/** What was asked for: empty until it is known. */
export interface Found<T> {
  value?: T | undefined;
  problem?: RollcallError | undefined;
}

/**
 * Call a capability, and again when its arguments, `version` or the language change; without a name
 * nothing is called. Returns what it says, which stays until there is something newer, and what
 * calls it again.
 */
export function useCall<Result>(
  connection: Connection,
  capability: string | undefined,
  args: object,
  version = "",
): [Signal<Found<Result>>, () => void] {
  const found = useSignal<Found<Result>>({});
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
