"""What assistive technology finds wrong with the components: nothing, in all their guises; and a
menu that is whole at every size."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.clients.web.test_cards import CHART, approval, call
from tests.clients.web.test_text import ANSWER
from tests.support.full_form import cases

DONE = {"approved": True, "by": "me", "at": 0}
HEBREW = "# כותרת\n\nReact הוא `code` של 3-5 ימים\n\n| שם | ערך |\n|---|---|\n| א | 1 |"
CITATION = {"n": 1, "type": "document", "title": "NEC", "url": "https://example.com/x"}
TABLE = [{"name": "a", "n": 1}, {"name": "חדר", "n": 2.5}]
GALLERY: list[tuple[str, dict[str, Any]]] = [
    ("markdown", {"text": ANSWER + "\n- [x] done\n", "isWhole": True}),
    ("markdown", {"text": HEBREW, "isWhole": True}),
    ("card", call("failed", error={"message": "no such panel"})),
    ("card", call("waiting")),
    ("card", call("unknown")),
    ("card", call("done", display={"type": "chart", "title": "Amps", "chart": CHART})),
    ("card", call("done", display={"type": "table", "title": "Rows", "rows": TABLE})),
    ("card", call("done", display={"type": "diff", "text": " a\n-b\n+c\u200b"})),
    ("citations", {"citations": [CITATION, {**CITATION, "url": None, "quote": "words"}]}),
    ("approval", {"approval": approval(), "uid": "me"}),
    ("approval", {"approval": approval(complete=False, remember=["docs/**"]), "uid": "me"}),
    ("approval", {"approval": approval(decision=DONE), "uid": "me", "outcome": "done"}),
    ("approval", {"approval": approval(decision=DONE), "uid": "me", "outcome": "failed"}),
    ("approval", {"approval": approval(mayDecide=False), "uid": "me"}),
]
THEMES = [("light", None), ("dark", None), ("light", "contrast"), ("dark", "contrast")]
LOOKS = cases(list(product(["en", "he"], THEMES)), 0, 5, 6, 3)
"""Each theme in one language; in `make chaos`, in both."""
SIZES = cases(list(product([320, 360, 768, 1280], ["en", "he"])), 0, 3, 5, 6)
"""Each width in one language; in `make chaos`, in both."""


@pytest.mark.long
@pytest.mark.parametrize(("locale", "theme"), LOOKS)
def test_web_components_have_no_finding(
    components: Page, locale: str, theme: tuple[str, str | None]
) -> None:
    scheme, name = theme
    components.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    components.evaluate("parts => components.gallery(parts)", GALLERY)
    components.evaluate(
        """([locale, theme]) => {
          components.locale.value = locale;
          if (theme) document.documentElement.dataset.theme = theme;
        }""",
        [locale, name],
    )
    components.wait_for_selector(".chart-picture svg")
    for button in components.locator(".tool-head").all():
        button.click()
    expect(components.locator(".approval-actions .primary").first).to_be_enabled()
    found = components.evaluate(
        """async () => (await components.axe.run(document, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
          resultTypes: ["violations"],
        })).violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))])"""
    )
    assert found == []


@pytest.mark.long
@pytest.mark.parametrize(("width", "locale"), SIZES)
def test_web_components_fit_into_the_screen(components: Page, width: int, locale: str) -> None:
    components.set_viewport_size({"width": width, "height": 720})
    components.evaluate("parts => components.gallery(parts)", GALLERY)
    components.evaluate("locale => { components.locale.value = locale; }", locale)
    components.wait_for_selector(".chart-picture svg")
    assert components.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )


IS_WHOLE = """(item) => {
  const { left, right, top, bottom } = item.getBoundingClientRect();
  return [left + 9, right - 9].every((x) =>
    [top + 9, bottom - 9].every((y) => item.contains(document.elementFromPoint(x, y))),
  );
}"""
"""Whether all of a menu's item lies in the window, over everything else."""


@pytest.mark.parametrize("language", ["en", "he"])
@pytest.mark.parametrize("size", [(360, 640), (720, 420), (1024, 420), (320, 256)])
def test_web_menu_of_a_thread_is_whole_at_every_size_and_works_by_keyboard(
    components: Page, size: tuple[int, int], language: str
) -> None:
    components.set_viewport_size({"width": size[0], "height": size[1]})
    components.evaluate("(language) => { components.locale.value = language; }", language)
    components.evaluate("components.show('threads', { titles: ['one', 'two', 'three', 'four'] })")
    expect(components.locator(".thread")).to_have_count(4)
    items = components.locator(".menu button")
    for row in (0, 3):
        button = components.locator(".thread-menu-button").nth(row)
        button.press("Enter")
        expect(items).to_have_count(5)
        whole = [items.nth(number).evaluate(IS_WHOLE) for number in range(5)]
        assert whole == [True] * 5, row
        for number in range(5):
            components.keyboard.press("Tab")
            expect(items.nth(number)).to_be_focused()
        components.keyboard.press("Escape")
        expect(items).to_have_count(0)
        expect(button).to_be_focused()
        button.press("Enter")
        expect(items).to_have_count(5)
        components.keyboard.press("Shift+Tab")
        components.keyboard.press("Shift+Tab")
        expect(items).to_have_count(0)


WITHOUT_ANCHORS = """() => {
  const properties = ["anchor-name", "position-anchor", "position-area", "position-try-fallbacks"];
  for (const sheet of document.styleSheets) {
    for (const rule of [...sheet.cssRules]) {
      for (const name of properties) rule.style?.removeProperty(name);
      if (rule.conditionText?.includes("anchor-name")) {
        for (const inner of rule.cssRules) sheet.insertRule(inner.cssText, sheet.cssRules.length);
      }
    }
  }
}"""
"""Make the page what it is in a browser that knows no anchors."""


@pytest.mark.parametrize("language", ["en", "he"])
@pytest.mark.parametrize("size", [(360, 640), (320, 256)])
def test_web_menu_of_a_thread_is_reached_where_the_browser_knows_no_anchors(
    components: Page, size: tuple[int, int], language: str
) -> None:
    components.set_viewport_size({"width": size[0], "height": size[1]})
    components.evaluate("(language) => { components.locale.value = language; }", language)
    components.evaluate("components.show('threads', { titles: ['one', 'two', 'three', 'four'] })")
    components.evaluate(WITHOUT_ANCHORS)
    items = components.locator(".menu button")
    for row in (0, 3):
        components.locator(".thread-menu-button").nth(row).press("Enter")
        expect(items).to_have_count(5)
        assert (
            components.locator(".menu").evaluate("e => getComputedStyle(e).position") == "absolute"
        )
        for number in range(5):
            items.nth(number).scroll_into_view_if_needed()
            assert items.nth(number).evaluate(IS_WHOLE), (row, number)
        components.keyboard.press("Escape")
