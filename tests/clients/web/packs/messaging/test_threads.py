"""The list of threads: found, renamed, archived, opened by a link, cleared and deleted. A thread of
many messages (in `make chaos` 2,000): read page by page, and fluent to write in."""

from __future__ import annotations

import json
import os
import string
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from statistics import median

import pytest
from google.cloud.firestore import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from rollcall.store.client import database
from tests.clients.web.conftest import watched
from tests.clients.web.scene import ask, begin_chat, log, open_chat, wait_until_done
from tests.clients.web.school import Person, storage_state
from tests.support.full_form import amount

_letters = iter(string.ascii_lowercase)


@pytest.fixture(scope="module")
def context(browser: Browser, guest: Person, app: str) -> Iterator[BrowserContext]:
    """A browser in which somebody without an account is signed in, one for all tests."""
    with watched(browser, app, storage_state=storage_state(guest, app)) as context:
        yield context


@pytest.fixture(scope="module")
def page(context: BrowserContext) -> Page:
    return open_chat(context)


@pytest.fixture
def chat(page: Page) -> Page:
    """A conversation with an answer, with a title of its own."""
    begin_chat(page)
    ask(page, f"Hello {next(_letters)}")
    wait_until_done(page)
    return page


def test_web_thread_is_renamed_found_archived_and_taken_out_again(chat: Page) -> None:
    name = "Lemons"
    menu(chat, "Rename")
    chat.get_by_label("Rename").fill(name)
    chat.keyboard.press("Enter")
    expect(chat.get_by_role("heading", name=name)).to_be_visible()
    chat.get_by_label("Search by title").fill(name.lower())
    expect(chat.locator(".thread")).to_have_count(1)
    menu(chat, "Archive")
    expect(chat.get_by_text("No title has these words.")).to_be_visible()
    chat.get_by_role("button", name="Archive", exact=True).click()
    menu(chat, "Take out of the archive")
    chat.get_by_role("button", name="Back to conversations").click()
    expect(chat.locator(".thread", has_text=name)).to_be_visible()
    chat.get_by_label("Search by title").fill("")


def test_web_link_opens_the_thread_for_its_owner_alone(
    chat: Page, context: BrowserContext, stranger: BrowserContext
) -> None:
    menu(chat, "Copy link")
    expect(chat.locator(".toast").last).to_contain_text("Link copied")
    link = chat.evaluate("navigator.clipboard.readText()")
    other = context.new_page()
    other.goto(link)
    expect(log(other)).to_contain_text("Hello")
    other.close()
    page = stranger.new_page()
    page.goto(link)
    page.get_by_role("button", name="Try it without an account").click()
    expect(page.get_by_text("This conversation is not there")).to_be_visible()


def test_web_thread_deleted_in_another_tab_is_told_as_gone(
    chat: Page, context: BrowserContext
) -> None:
    other = context.new_page()
    other.goto(chat.url)
    expect(log(other)).to_contain_text("Hello")
    menu(chat, "Delete")
    chat.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(other.get_by_text("This conversation is not there")).to_be_visible()
    expect(other.get_by_text("Nothing has been said here yet.")).to_be_hidden()
    other.close()


def test_web_thread_that_cannot_be_read_is_not_told_as_empty_and_comes_with_the_network(
    chat: Page, context: BrowserContext
) -> None:
    first = chat.locator(".thread a").first
    address = chat.url
    begin_chat(chat)
    ask(chat, "say: another")
    wait_until_done(chat)
    chat.reload()
    expect(first).to_be_visible()
    expect(log(chat)).to_contain_text("another")
    context.set_offline(True)
    chat.goto(address)
    expect(chat.get_by_role("group", name="The service cannot be reached")).to_be_visible()
    expect(chat.get_by_text("Nothing has been said here yet.")).to_be_hidden()
    context.set_offline(False)
    expect(log(chat)).to_contain_text("Hello")


def test_web_what_is_not_done_without_a_network_is_said_in_plain_words(
    chat: Page, context: BrowserContext
) -> None:
    context.set_offline(True)
    menu(chat, "Clear")
    chat.get_by_role("dialog").get_by_role("button", name="Clear").click()
    told = "That was not done: \u2068The service cannot be reached\u2069"
    expect(chat.locator(".toast").last).to_have_text(told)
    context.set_offline(False)


def test_web_refused_rename_is_told_in_plain_words(chat: Page) -> None:
    menu(chat, "Rename")
    field = chat.get_by_label("Rename")
    field.evaluate("(input) => input.removeAttribute('maxlength')")
    field.fill("L" * 201)  # one more than the rules allow
    chat.keyboard.press("Enter")
    told = "That was not done: \u2068You may not do this\u2069"
    expect(chat.locator(".toast").last).to_have_text(told)


def test_web_list_of_threads_keeps_the_focus(chat: Page) -> None:
    begin_chat(chat)
    ask(chat, "Hello beside another")
    wait_until_done(chat)
    thread = chat.locator(".thread").first
    button = thread.get_by_role("button", name="Actions for")
    for key in ("Enter", "Escape"):
        menu(chat, "Rename")
        chat.get_by_label("Rename").press(key)
        expect(button).to_be_focused()
    menu(chat, "Copy link")
    expect(button).to_be_focused()
    next_one = chat.locator(".thread a").nth(1).get_attribute("href")
    menu(chat, "Archive")
    expect(chat.locator(".thread a:focus")).to_have_attribute("href", next_one or "")


def test_web_deleting_says_what_stays_and_can_be_left(chat: Page) -> None:
    title = chat.locator(".thread [aria-current]").inner_text()
    menu(chat, "Delete")
    dialog = chat.get_by_role("dialog")
    expect(dialog).to_contain_text("What was already carried out stays done")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    expect(log(chat)).to_contain_text("Hello")
    menu(chat, "Delete")
    dialog.get_by_role("button", name="Delete").click()
    expect(chat.get_by_role("heading", name="What can I help you with?")).to_be_visible()
    expect(chat.locator(".thread", has_text=title)).to_have_count(0)


def test_web_cleared_thread_stays_empty(chat: Page) -> None:
    address = chat.url
    menu(chat, "Clear")
    chat.get_by_role("dialog").get_by_role("button", name="Clear").click()
    expect(chat.get_by_role("heading", name="What can I help you with?")).to_be_visible()
    chat.goto(address)
    expect(chat.get_by_text("Nothing has been said here yet.")).to_be_visible()


def menu(page: Page, action: str) -> None:
    """Do something with the thread that is open."""
    thread = page.locator(".thread").first
    thread.get_by_role("button", name="Actions for").click()
    thread.get_by_role("button", name=action, exact=True).click()


MESSAGES = amount(150, full=2_000)
PARAGRAPH = "The lemons need **water** twice a week, and `sun` all day. " * 4


@pytest.mark.long
def test_web_writing_stays_fluent_in_a_long_thread(context: BrowserContext) -> None:
    page = open_chat(context)
    ask(page, "Hello")
    wait_until_done(page)
    _fill(database(), page.url.rpartition("/")[2])
    page.reload()
    turns = page.locator(".turn")
    expect(turns).to_have_count(25)
    while page.get_by_role("button", name="Show older messages").count():
        before = turns.count()
        page.locator(".log-scroll").evaluate("(box) => box.scrollTo(0, 0)")
        page.wait_for_function(
            "(before) => document.querySelectorAll('.turn').length > before"
            " || !document.querySelector('.older')",
            arg=before,
        )
    expect(turns).to_have_count(MESSAGES // 2)
    page.locator(".log-scroll").evaluate("(box) => box.scrollTo(0, box.scrollHeight)")
    times = _key_presses(page)
    session = context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"]
    if "RECORD" in os.environ:
        figures = {"median_ms": median(times), "worst_ms": max(times), "heap_mb": heap / 1e6}
        print(json.dumps(figures))
    # However long the thread is, a key draws nothing of it. A change or two is the page's own.
    assert page.evaluate("window.drawn.length") < len(times) // 2
    page.close()


def _key_presses(page: Page) -> list[float]:
    """How long each of 40 keys took to be seen, in ms.

    `window.drawn` has what changed of the log meanwhile.
    """
    page.get_by_label("Message", exact=True).focus()
    page.evaluate(
        """() => {
          [window.times, window.drawn] = [[], []];
          const log = document.querySelector(".log-scroll");
          new MutationObserver((changes) => window.drawn.push(...changes)).observe(log, {
            subtree: true, childList: true, characterData: true, attributes: true,
          });
          const area = document.activeElement;
          area.addEventListener("keydown", () => {
            const began = performance.now();
            requestAnimationFrame(() =>
              setTimeout(() => window.times.push(performance.now() - began)));
          });
        }"""
    )
    page.keyboard.type("water the lemons and tell me how it went", delay=30)
    page.wait_for_function("window.times.length >= 40")
    times: list[float] = page.evaluate("window.times")
    return times


def _fill(db: Client, thread_id: str) -> None:
    """Write a long past into a thread, before what is in its log."""
    thread = db.document(f"threads/{thread_id}")
    uid = thread.get().get("uid")
    began = datetime.now(UTC) - timedelta(days=30)
    writer = db.bulk_writer()
    for number in range(2, MESSAGES):
        turn = f"past-{number // 2}"
        about = {
            "schemaVersion": 1,
            "uid": uid,
            "n": number,
            "turnId": turn,
            "runId": turn,
            "createdAt": began + timedelta(minutes=number),
        }
        said = (
            {"role": "model", "text": f"{number}: {PARAGRAPH}", "toolCalls": []}
            if number % 2
            else {"role": "user", "parts": [{"type": "text", "text": f"Question {number}"}]}
        )
        writer.create(thread.collection("messages").document(f"{number:08d}"), {**about, **said})
    writer.close()
