/** Styles that a view brings along in its script, for the page or the shadow root that shows it. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** Where the views around are shown. */
export const StyleRoot = createContext<DocumentOrShadowRoot>(document);

const sheets = new Map<string, CSSStyleSheet>();

/** Have a view's styles count from its first paint on; they stay, since others may show it as well. */
export function useStyles(css: string): void {
  const root = useContext(StyleRoot);
  const sheet = sheets.get(css) ?? new CSSStyleSheet();
  if (!sheets.has(css)) sheet.replaceSync(css);
  sheets.set(css, sheet);
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}
