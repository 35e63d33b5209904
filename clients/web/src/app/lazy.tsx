/** Components that are loaded on first use. */

import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

import { text } from "../text/locale.js";

/** A component that loads another one, and shows a note or the `Fallback` until then. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Fallback?: ComponentType<Props>,
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
    if (Fallback && !hasFailed) return <Fallback {...props} />;
    if (!hasFailed) return <p class="quiet loading">{text("app.loading")}</p>;
    // Browsers do not ask again for a script that has failed.
    return (
      <p class="quiet loading">
        {text("app.not_loaded")}{" "}
        <button class="button small" onClick={() => location.reload()}>
          {text("app.reload")}
        </button>
      </p>
    );
  };
}
