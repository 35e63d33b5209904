"""The page itself: signing in, languages, what it is served with."""

from __future__ import annotations

import os
import re

import httpx2
import pytest
from playwright.sync_api import BrowserContext, Page, expect


@pytest.mark.usefixtures("sample")
def test_web_sample_user_signs_in_by_one_click(stranger: BrowserContext) -> None:
    page = stranger.new_page()
    page.goto("/")
    expect(page.get_by_role("heading", name=re.compile("Welcome to"))).to_be_visible()
    page.get_by_role("button", name="Continue as the sample user").click()
    expect(page.get_by_role("heading", name="What can I help you with?")).to_be_visible()


def test_web_language_and_direction_change_without_a_reload(page: Page) -> None:
    page.evaluate("window.isSamePage = true")
    page.get_by_role("link", name="Settings").click()
    page.get_by_text("עברית").click()
    expect(page.get_by_role("heading", name="הגדרות")).to_be_visible()
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
        "he",
        "rtl",
    ]
    assert page.evaluate("window.isSamePage")
    menu = page.locator(".sidebar").bounding_box()
    main = page.locator(".main").bounding_box()
    assert menu and main and menu["x"] > main["x"]


def test_web_wrong_password_is_told(stranger: BrowserContext) -> None:
    page = stranger.new_page()
    page.goto("/")
    page.get_by_label("Email").fill("nobody@rollcall.example")
    page.get_by_label("Password").fill("not this one")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("Email or password is not right.")


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_web_no_view_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 720})
    for language in ("English", "עברית"):
        page.goto("/#/settings")
        page.get_by_text(language).click()
        for view in ("chat", "usage", "settings"):
            page.goto(f"/#/{view}")
            page.locator(".main h1").wait_for()
            assert page.evaluate("document.documentElement.scrollWidth") == width


def test_web_page_runs_nothing_that_is_written_into_it() -> None:
    answer = httpx2.get(f"http://{os.environ['HOSTING_EMULATOR_HOST']}/", trust_env=False)
    policy = answer.headers["content-security-policy"]
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == "'self'"
    assert rules["frame-ancestors"] == rules["trusted-types"] == "'none'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", answer.text)
    script = re.search(r'src="(/main-\w+\.js)"', answer.text)
    assert script
    assert "immutable" in _kept(script[1])


def test_web_only_what_is_named_by_its_content_is_kept_for_ever() -> None:
    assert _kept("/elements/rollcall.js") == _kept("/") == "no-cache"


def _kept(path: str) -> str:
    """How long a browser may keep a file."""
    site = os.environ["HOSTING_EMULATOR_HOST"]
    answer = httpx2.get(f"http://{site}{path}", trust_env=False).raise_for_status()
    return str(answer.headers["cache-control"])


def test_web_malformed_address_is_told_as_a_thread_that_is_not_there(
    context: BrowserContext,
) -> None:
    page = context.new_page()
    page.goto("/#/chat/%E0%A4%A")
    expect(page.get_by_text("This conversation is not there")).to_be_visible()


def test_web_agents_that_were_not_read_are_read_again(context: BrowserContext) -> None:
    page = context.new_page()
    context.route("**/list_capabilities", lambda route: route.abort())
    page.goto("/")
    problem = page.get_by_role("group", name="Something went wrong on our side")
    problem.get_by_role("button", name="Try again").wait_for()
    context.unroute("**/list_capabilities")
    problem.get_by_role("button", name="Try again").click()
    expect(page.locator(".agents")).to_be_visible()
    expect(problem).to_be_hidden()


def test_web_message_field_says_that_the_assistants_are_loading(context: BrowserContext) -> None:
    context.route("**/list_capabilities", lambda route: None)  # it is never answered
    page = context.new_page()
    page.goto("/")
    field = page.get_by_label("Message", exact=True)
    expect(field).to_have_attribute("placeholder", "The assistants are loading…")
    field.fill("Hello")
    field.press("Enter")
    expect(field).to_have_value("Hello")
