"""What a tool made opens beside the chat: an activity to be tried, and a PDF."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Browser, expect

from packs.education.wording import TEXTS
from tests.clients.web.scene import ask, wait_until_done
from tests.clients.web.school import sample_user, signed_in

AGENT = TEXTS.say("en", "agents.education")
WANTED = {
    "topic": "multiplication",
    "grade": "4",
    "subject": "math",
    "questionCount": 3,
}


def test_web_activity_and_pdf_that_a_tool_made_open_beside_the_chat(
    browser: Browser, app: str
) -> None:
    """The sample user, who is a teacher, asks for them."""
    with signed_in(browser, app, sample_user()) as page:
        page.goto("/")
        page.locator(".agents").get_by_text(AGENT).click()
        ask(page, f"call: generate_interactive_activity {_arguments(productType='activity')}")
        card = page.locator(".tool-card")
        expect(card).to_have_attribute("data-status", "done", timeout=60_000)
        beside = page.locator("aside.beside")
        card.locator(".tool-action").get_by_role("button", name="Open").click()
        expect(beside.get_by_role("button", name="Check").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(beside).to_have_count(0)
        expect(card.locator(".tool-action button")).to_be_focused()
        wait_until_done(page)
        ask(page, f"call: generate_static_content {_arguments(contentType='worksheet')}")
        expect(card).to_have_count(2)
        expect(card.nth(1)).to_have_attribute("data-status", "done", timeout=60_000)
        card.nth(1).locator(".file", has_text=".pdf").get_by_role("button", name="Open").click()
        expect(beside.locator("iframe")).to_have_attribute("src", re.compile("^blob:"))
        with page.expect_download() as saved:
            beside.get_by_role("button", name="Download").click()
        assert saved.value.path().read_bytes().startswith(b"%PDF-")


def _arguments(**more: str) -> str:
    return json.dumps({**WANTED, **more})
