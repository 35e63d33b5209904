"""Approvals in the browser: in the chat and in the inbox, by one and by two, once."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from google.cloud.firestore import FieldFilter
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from rollcall.store.client import database
from tests.clients.web.conftest import watched
from tests.clients.web.scene import AGENT, ask, begin_chat, open_chat, wait_until_done
from tests.clients.web.school import sample_user, storage_state
from tests.clients.web.scripted_model import CONVERSATION


@pytest.fixture(scope="module")
def page(browser: Browser, app: str) -> Iterator[Page]:
    """The app with the sample user signed in, one for all tests."""
    with watched(browser, app, storage_state=storage_state(sample_user(), app)) as context:
        yield open_chat(context)


@pytest.fixture
def chat(page: Page) -> Page:
    """The app before the first message of a conversation."""
    begin_chat(page)
    return page


@pytest.fixture(scope="module")
def inbox(browser: Browser, app: str) -> Iterator[Page]:
    """What waits for the same user, on another device."""
    with watched(browser, app, storage_state=storage_state(sample_user(), app)) as context:
        yield open_inbox(context)


def sent(words: str) -> int:
    """How many messages of these words the conversation has."""
    here = FieldFilter("conversationId", "==", CONVERSATION)
    found = database().collection("messages").where(filter=here).stream()
    return sum(each.to_dict().get("content") == words for each in found)


def asked(chat: Page) -> str:
    words = f"A message, hello {uuid.uuid4().hex[:8]}"  # it fits the tool whatever the number is
    ask(chat, f"send: {words}")
    expect(card(chat, words)).to_contain_text("Needs your approval")
    return words


def card(page: Page, words: str) -> Any:
    return page.locator(".approval", has_text=words)


def open_inbox(context: BrowserContext) -> Page:
    page = context.new_page()
    page.goto("/#/inbox")
    return page


def test_web_approval_in_the_chat_happens_once_and_keeps_the_focus(chat: Page) -> None:
    words = asked(chat)
    requests: list[Any] = []
    chat.on("request", lambda request: requests.append(request))
    approve = chat.get_by_role("button", name="Approve")
    expect(approve).to_be_enabled()
    approve.focus()
    approve.evaluate("(button) => { button.click(); button.click(); }")  # before it is drawn anew
    expect(card(chat, words)).to_contain_text("It happened once")
    expect(card(chat, words)).to_be_focused()
    assert sent(words) == 1
    decided = [each for each in requests if '"resume"' in (each.post_data or "")]
    assert len(decided) == 1
    headers = decided[0].headers
    chat.request.post(decided[0].url, headers=headers, data=decided[0].post_data)  # replayed
    assert sent(words) == 1


def test_web_inbox_of_another_device_decides_what_the_chat_asked(chat: Page, inbox: Page) -> None:
    page, words = inbox, asked(chat)
    expect(card(page, words)).to_be_visible()
    expect(page).to_have_title(re.compile(r"^\(\d+\) "))
    card(page, words).get_by_role("button", name="Approve").click()
    expect(card(page, words)).to_contain_text("It happened once", timeout=60_000)
    expect(card(chat, words)).to_contain_text("in another tab or on another device")
    assert sent(words) == 1
    page.reload()
    expect(page.get_by_role("heading", name="Approvals")).to_be_visible()
    expect(card(page, words)).to_have_count(0)


def test_web_card_outlives_a_reload_and_a_rejection_writes_nothing(chat: Page) -> None:
    words = asked(chat)
    chat.reload()
    expect(card(chat, words)).to_contain_text("Needs your approval")
    about = chat.locator(".thread-about", has_text="waits").first
    assert about.locator("bdi").evaluate("(name) => name.scrollWidth <= name.clientWidth")
    card(chat, words).get_by_role("button", name="Reject").click()
    chat.get_by_label("Why not?").fill("too early")
    chat.locator(".approval-form").get_by_role("button", name="Reject").click()
    expect(card(chat, words)).to_contain_text("Nothing was changed.")
    assert sent(words) == 0


def test_web_call_that_nobody_decided_waits_no_more_when_it_is_late_or_the_chat_went_on(
    page: Page,
) -> None:
    chat = open_chat(page.context)
    words = asked(chat)
    waiting = "Waiting for a decision"
    expect(chat.locator(".tool-card")).to_contain_text(waiting)
    expect(chat.locator(".answer .note")).to_have_text(waiting)
    chat.evaluate(
        """() => {
          const Earlier = Date;
          Date = class extends Earlier {
            constructor(...given) {
              super(...(given.length ? given : [Earlier.now() + 25 * 3600 * 1000]));
            }
          };
        }"""
    )
    expect(card(chat, words)).to_contain_text("Expired")
    expect(chat.locator(".tool-card")).to_contain_text("Nobody decided in time")
    expect(chat.locator(".answer .note")).to_have_count(0)
    chat.reload()
    expect(chat.locator(".tool-card")).to_contain_text(waiting)
    ask(chat, "say: something else")
    expect(chat.locator(".answer").last).to_contain_text("something else")
    expect(chat.locator(".tool-card")).to_contain_text("Nobody decided in time")
    expect(card(chat, words).get_by_role("button", name="Approve")).to_have_count(0)
    assert sent(words) == 0
    chat.close()


def test_web_approval_asked_in_english_is_said_in_hebrew_to_who_reads_that(
    chat: Page, browser: Browser, app: str
) -> None:
    words = asked(chat)
    state = storage_state(sample_user(), app, "he")
    with watched(browser, app, storage_state=state) as context:
        asking = card(open_inbox(context), words)
        expect(asking.locator(".approval-what")).to_contain_text("לשלוח")
        expect(asking.locator(".display")).to_contain_text("אל:")


def test_web_whole_journey_goes_by_keyboard(chat: Page) -> None:
    """Asking, reading what would happen, approving, and what became of it."""
    words = f"By keyboard {uuid.uuid4().hex[:8]}"
    chat.reload()
    chat.get_by_role("heading", name="What can I help you with?").wait_for()
    tab_to(chat, chat.get_by_role("link", name="Skip to the conversation"))
    chat.keyboard.press("Enter")
    tab_to(chat, chat.get_by_role("radio", checked=True))
    while not chat.get_by_role("radio", name=AGENT).is_checked():
        chat.keyboard.press("ArrowDown")
    tab_to(chat, chat.get_by_label("Message", exact=True))
    chat.keyboard.type(f"send: {words}")
    chat.keyboard.press("Enter")
    approve = card(chat, words).get_by_role("button", name="Approve")
    expect(approve).to_be_enabled(timeout=60_000)
    tab_to(chat, approve, key="Shift+Tab")
    chat.keyboard.press("Enter")
    expect(card(chat, words)).to_be_focused()
    expect(card(chat, words)).to_contain_text("It happened once", timeout=60_000)
    expect(card(chat, words)).to_be_focused()
    expect(chat.locator("#main")).to_match_aria_snapshot(
        """
        - main:
          - heading [level=1]
          - article "Your message"
          - article "Answer":
            - group
            - button "Copy as Markdown"
          - textbox "Message"
        """
    )
    assert sent(words) == 1


def tab_to(page: Page, wanted: Locator, *, key: str = "Tab") -> None:
    """Press a key until something has the focus."""
    for _ in range(60):
        if wanted.evaluate("(element) => element === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {wanted}")


def test_web_of_two_who_decide_one_counts(chat: Page, inbox: Page) -> None:
    words = asked(chat)
    pages = [inbox, open_inbox(inbox.context)]
    for page in pages:
        expect(card(page, words).get_by_role("button", name="Approve")).to_be_enabled(
            timeout=60_000
        )
    for page in pages:  # not waiting for what comes of it
        page.evaluate(
            """(words) => {
              const cards = [...document.querySelectorAll(".approval")];
              const card = cards.find((each) => each.textContent.includes(words));
              card.querySelector(".button.primary").click();
            }""",
            words,
        )
    for page in pages:
        expect(card(page, words)).to_contain_text("It happened once", timeout=60_000)
    pages[1].close()
    assert sent(words) == 1


def test_web_changes_that_are_refused_stay_to_be_put_right(chat: Page) -> None:
    words = asked(chat)
    card(chat, words).get_by_role("button", name="Change details").click()
    chat.get_by_label("content").fill(f"{words}, changed")
    chat.get_by_label("Conversation ID").fill("no-conversation-of-mine")
    chat.get_by_role("button", name="Approve with these changes").click()
    expect(card(chat, words)).to_contain_text("you are not in a conversation")
    expect(chat.get_by_label("content")).to_have_value(f"{words}, changed")
    chat.get_by_label("Conversation ID").fill(CONVERSATION)
    chat.get_by_role("button", name="Approve with these changes").click()
    expect(chat.locator(".approval").first).to_contain_text("changed and approved")
    expect(chat.locator(".tool-card")).to_contain_text("Done")  # the card knows before the chat
    wait_until_done(chat)
    assert (sent(words), sent(f"{words}, changed")) == (0, 1)


def test_web_card_that_is_decided_elsewhere_keeps_the_focus_of_who_writes_in_it(
    chat: Page, inbox: Page
) -> None:
    words = asked(chat)
    card(chat, words).get_by_role("button", name="Reject").click()
    chat.keyboard.type("Since")
    card(inbox, words).get_by_role("button", name="Approve").click()
    expect(card(chat, words)).to_contain_text("in another tab or on another device")
    expect(card(chat, words)).to_be_focused()


def test_web_arguments_are_changed_before_they_are_approved(chat: Page) -> None:
    words = asked(chat)
    card(chat, words).get_by_role("button", name="Change details").click()
    chat.get_by_label("content").fill(f"{words}, changed")
    chat.get_by_role("button", name="Approve with these changes").click()
    expect(chat.locator(".approval").first).to_contain_text("changed and approved")
    expect(chat.locator(".approval").first).to_be_focused()
    expect(chat.locator(".tool-card")).to_contain_text("Done")  # it is carried out after that
    wait_until_done(chat)
    assert (sent(words), sent(f"{words}, changed")) == (0, 1)
