/** Styles in a view's script, added to the page or shadow root that shows it. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** The page or shadow root of the surrounding views. */
export const StyleRoot = createContext<DocumentOrShadowRoot>(document);

const sheets = new Map<string, CSSStyleSheet>();

/** Add a view's styles before its first paint. They stay, since other elements may show it too. */
export function useStyles(css: string): void {
  const root = useContext(StyleRoot);
  const sheet = sheets.get(css) ?? new CSSStyleSheet();
  if (!sheets.has(css)) sheet.replaceSync(css);
  sheets.set(css, sheet);
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}
