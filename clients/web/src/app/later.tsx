/** Components that are loaded when they are first shown. */

import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

import { text } from "../text/locale.js";

/** A component that loads another, and stands for it, or has `Meanwhile` do so, until it is there. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile?: ComponentType<Props>,
): ComponentType<Props> {
  const loaded = signal<{ component?: ComponentType<Props>; hasFailed?: boolean }>({});
  return function Later(props: Props) {
    useEffect(() => {
      if (loaded.value.component) return;
      load().then(
        (component) => (loaded.value = { component }),
        () => (loaded.value = { hasFailed: true }),
      );
    }, []);
    const { component: Component, hasFailed } = loaded.value;
    if (Component) return <Component {...props} />;
    if (Meanwhile && !hasFailed) return <Meanwhile {...props} />;
    return <p class="quiet loading">{hasFailed ? text("app.not_loaded") : text("app.loading")}</p>;
  };
}
