"""What the tests do in the page, in its own words."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Locator, Page, expect

AGENT = "Conversation assistant"


def sign_in(context: BrowserContext) -> None:
    """Somebody new, without an account."""
    page = context.new_page()
    page.goto("/")
    page.get_by_role("button", name="Try it without an account").click()
    page.get_by_role("heading", name="What can I help you with?").wait_for()
    page.close()


def open_chat(context: BrowserContext) -> Page:
    """A page with the app, where the agent of the tests is chosen."""
    page = context.new_page()
    page.goto("/")
    page.locator(".agents").get_by_text(AGENT).click()
    return page


def begin_chat(page: Page) -> None:
    """Leave the conversation that is open for a new one, with the same agent."""
    page.goto("/#/")
    page.locator(".agents").get_by_text(AGENT).click()


def ask(page: Page, words: str) -> None:
    page.get_by_label("Message", exact=True).fill(words)
    page.get_by_role("button", name="Send", exact=True).click()


def log(page: Page) -> Locator:
    return page.locator(".log")


def answers(page: Page) -> Locator:
    return page.get_by_role("article", name="Answer")


def wait_until_done(page: Page) -> None:
    """The newest answer is complete."""
    expect(answers(page).last).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("button", name="Ask again").last).to_be_visible()


def lines(page: Page) -> Locator:
    """What stands in the log, turn by turn, without times. Names of tools come a moment later."""
    return page.locator(".words, .markdown, .tool-name, .note")


def transcript(page: Page) -> list[str]:
    """The texts of what stands in the log now."""
    texts: list[str] = lines(page).all_text_contents()
    return texts
