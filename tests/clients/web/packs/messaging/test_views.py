"""Every view of the app in both languages and all its looks: nothing that assistive technology
finds wrong, and nothing wider than the screen."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from dev.paths import ROOT
from packs.messaging.wording import TEXTS
from tests.clients.web.conftest import watched
from tests.clients.web.scene import AGENT
from tests.support.full_form import IS_FULL, cases

AXE = (ROOT / "node_modules/axe-core/axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
THEMES = ("light", "dark", "contrast")
WIDTHS = (360, 768, 1280)
LOOKS = list(product(THEMES, WIDTHS))
EACH = len(LOOKS) if IS_FULL else 1
"""How many looks a view is looked at in, in one language; `make chaos` takes all."""
AGENTS = {"en": AGENT, "he": TEXTS.say("he", "agents.conversation_assistant")}
WORDS = {
    "en": "Write to the launch team that the lemons are ripe",
    "he": "כתוב לצוות שהלימונים בשלים",
}


@pytest.mark.long
@pytest.mark.parametrize("language", cases(["en", "he"], 1))
def test_web_views_have_no_finding(browser: Browser, app: str, language: str) -> None:
    number = 0 if language == "en" else len(LOOKS) // 2

    def look(page: Page, view: str) -> None:
        nonlocal number
        for _ in range(EACH):
            theme, width = LOOKS[number % len(LOOKS)]
            number += 1
            page.set_viewport_size({"width": width, "height": 720})
            page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
            assert (_findings(page), view, theme, width) == ([], view, theme, width)
            assert page.evaluate("document.documentElement.scrollWidth") == width, view

    with watched(browser, app) as context:
        keep = f"if (origin !== 'null') localStorage.setItem('rollcall.locale', '{language}')"
        context.add_init_script(keep)
        page = context.new_page()
        page.goto("/")
        page.locator(".sign-in-card h1").wait_for()
        look(page, "signing in")
        page.locator(".sign-in-card .button.primary").click()
        page.locator(".agents").get_by_text(AGENTS[language]).click()
        look(page, "a new chat")
        _write(page, "call: get_user_conversations {}")
        expect(page.locator("article.answer").last).to_have_attribute("aria-busy", "false")
        expect(page.locator(".tool-card")).to_have_attribute("data-status", "done")
        look(page, "an answer with a tool")
        _write(page, f"send: {WORDS[language]}")
        page.locator(".approval[data-phase=open]").wait_for()
        look(page, "an approval in the chat")
        page.set_viewport_size({"width": 1280, "height": 720})
        page.locator(".thread-menu-button").first.click()
        look(page, "a thread's menu")
        page.set_viewport_size({"width": 1280, "height": 720})
        page.locator(".thread .menu .danger").click()
        page.get_by_role("dialog").wait_for()
        look(page, "the question before deleting")
        page.keyboard.press("Escape")
        for view, ready in (
            ("inbox", ".approval"),
            ("usage", ".page h2"),
            ("settings", ".page h2"),
        ):
            page.goto(f"/#/{view}")
            page.locator(ready).first.wait_for()
            look(page, view)
        page.set_viewport_size({"width": 360, "height": 720})
        page.locator(".menu-button").click()
        expect(page.locator(".sidebar")).to_be_visible()
        assert _findings(page) == [], "the menu of a phone"


def _write(page: Page, words: str) -> None:
    box = page.locator(".composer textarea")
    box.fill(words)
    box.press("Enter")


def _findings(page: Page) -> list[Any]:
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: list[Any] = page.evaluate(
        """async (tags) => (await axe.run(document, {runOnly: tags, resultTypes: ["violations"]}))
          .violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))])""",
        TAGS,
    )
    return found
