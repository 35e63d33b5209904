"""The page itself: signing in, languages, what it is served with."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import product

import httpx2
import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.clients.web.scene import sign_in


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
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_role("alert")).to_be_empty()


def test_web_no_view_is_wider_than_the_screen(page: Page) -> None:
    for language in ("English", "עברית"):
        page.goto("/#/settings")
        page.get_by_text(language).click()
        for width, view in product((360, 768, 1280), ("chat", "usage", "settings")):
            page.set_viewport_size({"width": width, "height": 720})
            page.goto(f"/#/{view}")
            page.locator(".main h1").wait_for()
            found = page.evaluate("document.documentElement.scrollWidth")
            assert found == width, (language, view)


def test_web_menu_of_a_phone_closes_by_escape_and_where_the_focus_leaves_it(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    menu, button = page.locator(".sidebar"), page.get_by_role("button", name="Menu")
    button.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(button).to_be_focused()
    button.press("Enter")
    menu.get_by_role("link", name="Settings").focus()
    page.keyboard.press("Tab")  # into the view that the menu lies over
    expect(page.locator("main :focus")).to_be_visible()
    expect(menu).to_be_hidden()


def test_web_menu_of_a_phone_leaves_the_focus_to_what_is_chosen_in_it(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    menu, main = page.locator(".sidebar"), page.locator("main")
    for _ in range(2):  # the second time, the view is the one that is shown already
        page.get_by_role("button", name="Menu").press("Enter")
        menu.get_by_role("link", name="Settings").press("Enter")
        expect(menu).to_be_hidden()
        expect(main).to_be_focused()
        expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    page.get_by_role("button", name="Menu").press("Enter")
    menu.get_by_role("button", name="New chat").press("Enter")
    expect(main).to_be_focused()


def test_web_view_that_was_not_loaded_offers_to_load_the_page_again(page: Page) -> None:
    page.context.set_offline(True)
    page.get_by_role("link", name="Usage").click()
    expect(page.locator("main")).to_contain_text("could not be loaded")
    page.context.set_offline(False)
    page.locator("main").get_by_role("button", name="Reload").click()
    expect(page.get_by_role("heading", name="Usage")).to_be_visible()


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
    for id in ("%E0%A4%A", "a%2Fb", "a%2Fmessages%2Fb", "..", "__a__"):
        page.goto(f"/#/chat/{id}")
        expect(page.get_by_text("This conversation is not there")).to_be_visible()
        page.goto("/#/")


def test_web_agents_that_were_not_read_are_read_again(context: BrowserContext) -> None:
    page = context.new_page()
    context.route("**/list_capabilities", lambda route: route.abort())
    page.goto("/")
    problem = page.get_by_role("group", name="The service cannot be reached")
    problem.get_by_role("button", name="Try again").wait_for()
    context.unroute("**/list_capabilities")
    problem.get_by_role("button", name="Try again").click()
    expect(page.locator(".agents")).to_be_visible()
    expect(problem).to_be_hidden()


def test_web_message_that_is_sent_while_the_assistants_load_goes_when_they_are_there(
    context: BrowserContext,
) -> None:
    let_go = _held(context, "**/list_capabilities")
    page = context.new_page()
    page.goto("/")
    field = page.get_by_label("Message", exact=True)
    expect(field).to_have_attribute("placeholder", "The assistants are loading…")
    field.fill("Hello")
    field.press("Enter")
    due = "It will be sent once everything has loaded…"
    expect(page.get_by_role("status")).to_have_text(due)
    expect(page.locator(".composer-note")).to_have_text(due)
    expect(field).to_have_value("Hello")
    let_go()
    expect(page.get_by_role("article", name="Your message")).to_have_text(re.compile("Hello"))
    expect(page.get_by_role("article", name="Your message")).to_have_count(1)
    expect(field).to_have_value("")


def test_web_message_that_is_changed_while_it_waits_is_not_sent(context: BrowserContext) -> None:
    let_go = _held(context, "**/list_capabilities")
    page = context.new_page()
    page.goto("/")
    field = page.get_by_label("Message", exact=True)
    field.fill("Hello")
    field.press("Enter")
    field.fill("Hello there")
    let_go()
    expect(page.locator(".agents")).to_be_visible()
    expect(field).to_have_value("Hello there")
    expect(page.get_by_role("article")).to_have_count(0)


def _held(context: BrowserContext, url: str) -> Callable[[], None]:
    """Hold requests until the function that is returned is called; later ones pass."""
    waiting: list[Route] = []
    is_open = False

    def hold(route: Route) -> None:
        if is_open:
            route.continue_()
        else:
            waiting.append(route)

    def let_go() -> None:
        nonlocal is_open
        is_open = True
        for route in waiting:
            route.continue_()

    context.route(url, hold)
    return let_go


FORBIDDEN = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, {
    get() { throw new DOMException("not here", "SecurityError"); },
  });"""
FULL = """Storage.prototype.setItem = () => {
  throw new DOMException("no room", "QuotaExceededError");
};"""


@pytest.mark.parametrize("storage", [FORBIDDEN, FULL])
def test_web_app_works_where_nothing_can_be_kept(stranger: BrowserContext, storage: str) -> None:
    stranger.add_init_script(storage)
    page = stranger.new_page()
    page.goto("/")
    page.get_by_role("button", name="Try it without an account").click()
    page.locator(".agents").wait_for()
    page.get_by_label("Message", exact=True).fill("Hello")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("article", name="Answer")).to_have_attribute("aria-busy", "false")
    page.goto("/#/settings")
    page.get_by_text("עברית").click()
    expect(page.get_by_role("heading", name="הגדרות")).to_be_visible()


def test_web_signing_out_forgets_what_the_device_kept_of_the_user(stranger: BrowserContext) -> None:
    sign_in(stranger)
    page = stranger.new_page()
    page.goto("/#/settings")
    page.get_by_role("heading", name="Settings").wait_for()
    (uid,) = page.evaluate(
        """() => new Promise((resolve) => {
          indexedDB.open("firebaseLocalStorageDb").onsuccess = ({ target }) => {
            const name = "firebaseLocalStorage";
            target.result.transaction(name).objectStore(name).getAll().onsuccess = (found) =>
              resolve(found.target.result.map(({ value }) => value.uid));
          };
        })"""
    )
    mine, others = (f"rollcall.user.{each}.activity.a.1.answer" for each in (uid, "somebody"))
    page.evaluate(
        "names => names.forEach((name) => localStorage.setItem(name, '1'))", [mine, others]
    )
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name=re.compile("Welcome to")).wait_for()
    kept = page.evaluate("Object.keys(localStorage)")
    assert mine not in kept
    assert others in kept and "rollcall.locale" in kept
