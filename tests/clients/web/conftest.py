"""What every test of the web app has: one browser, and pages of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.support import chromium
from tests.support.sample import load_sample

_not_run: list[str] = []


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Fails without one where ROLLCALL_REQUIRE_BROWSER is set; otherwise the tests are skipped."""
    with sync_playwright() as playwright:
        path = chromium.find(playwright)
        if path is None:
            if os.environ.get("ROLLCALL_REQUIRE_BROWSER") == "1":
                pytest.fail(chromium.MISSING)
            _not_run[:] = [chromium.MISSING]
            pytest.skip(chromium.MISSING)
        browser = playwright.chromium.launch(
            executable_path=path, args=list(chromium.OPTIONS), chromium_sandbox=False
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def sample() -> None:
    """The sample data is loaded, and its user may ask faster than people do."""
    load_sample()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that knows nobody yet. What a page says that is wrong fails the test."""
    context = browser.new_context(
        base_url=f"http://{os.environ['HOSTING_EMULATOR_HOST']}",
        locale="en-GB",
        permissions=["clipboard-read", "clipboard-write"],
        reduced_motion="reduce",
    )
    context.set_default_timeout(15_000)
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    context.on("console", lambda message: _note_violation(message, errors))
    yield context
    context.close()
    assert errors == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """The app, where somebody without an account is signed in."""
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Try it without an account").click()
    page.get_by_role("heading", name="What can I help you with?").wait_for()
    return page


def _note_violation(message: Any, errors: list[str]) -> None:
    """Keep what the browser says where the page breaks its own content security policy."""
    if "images/cleardot.gif" in message.text:
        return  # by which Firestore's SDK tells a lost network from a lost server
    if "Content Security Policy" in message.text or "Trusted" in message.text:
        errors.append(message.text)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for line in _not_run:
        terminalreporter.line(line, yellow=True)
