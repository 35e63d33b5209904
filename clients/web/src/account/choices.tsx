/** The choices of language and theme. */

import { type Theme, theme, THEMES } from "../app/theme.js";
import { LOCALES, locale, nameOf, text } from "../text/locale.js";

export function LanguageChoice() {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{text("settings.language")}</legend>
      {LOCALES.map((each) => (
        <label key={each} lang={each}>
          <input
            type="radio"
            name="language"
            checked={locale.value === each}
            onChange={() => (locale.value = each)}
          />
          <span>{nameOf(each)}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function ThemeChoice() {
  const names: Record<Theme, string> = {
    system: text("settings.theme.system"),
    light: text("settings.theme.light"),
    dark: text("settings.theme.dark"),
    contrast: text("settings.theme.contrast"),
  };
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{text("settings.theme")}</legend>
      {THEMES.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="theme"
            checked={theme.value === each}
            onChange={() => (theme.value = each)}
          />
          <span>{names[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}
