"""What the user has used, and what they may do with their data."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from tests.clients.web.scene import ask, open_chat, sign_in, wait_until_done


def test_web_usage_says_what_is_left(page: Page) -> None:
    page.get_by_role("link", name="Usage").click()
    expect(page.locator(".figure").first).to_contain_text("left of")
    expect(page.get_by_text("Renews")).to_be_visible()


def test_web_data_is_exported_and_erased(stranger: BrowserContext, tmp_path: Path) -> None:
    sign_in(stranger)
    page = open_chat(stranger)
    ask(page, "Hello there, lemons")
    wait_until_done(page)
    page.get_by_role("link", name="Settings").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export my data").click()
    file = tmp_path / "data.json"
    download.value.save_as(file)
    assert "Hello there, lemons" in json.dumps(json.loads(file.read_text()))
    page.get_by_role("button", name="Erase my data").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Your account stays")
    dialog.get_by_role("button", name="Erase my data").click()
    listed = page.get_by_text("Your conversations will be listed here.")
    expect(listed).to_be_visible()
