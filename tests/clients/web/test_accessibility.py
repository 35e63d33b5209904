"""What assistive technology finds wrong with the components: nothing, in all their guises."""

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
