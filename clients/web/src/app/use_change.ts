import { useEffect, useRef } from "preact/hooks";

/** Run an effect whenever a value has changed, not for its first one. */
export function useChange(value: unknown, effect: () => void): void {
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) effect();
    isFirst.current = false;
  }, [value]);
}
