"""The menu of a thread, in its list by itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

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
