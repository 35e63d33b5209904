"""A conversation in the browser: whole after a reload, in another tab, and after a lost network."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.clients.web.conftest import watched
from tests.clients.web.scene import (
    answers,
    ask,
    begin_chat,
    lines,
    log,
    open_chat,
    transcript,
    wait_until_done,
)
from tests.clients.web.school import Person, storage_state
from tests.clients.web.scripted_model import LONG, TOLD, ScriptedModel
from tests.support.full_form import IS_FULL, SEED


@pytest.fixture(scope="module")
def context(browser: Browser, guest: Person, app: str) -> Iterator[BrowserContext]:
    """A browser in which somebody without an account is signed in, one for all tests."""
    with watched(browser, app, storage_state=storage_state(guest, app)) as context:
        yield context


@pytest.fixture(scope="module")
def page(context: BrowserContext) -> Page:
    return open_chat(context)


@pytest.fixture
def chat(page: Page, model: ScriptedModel) -> Iterator[Page]:
    """The app before the first message of a conversation; loading it anew takes a second of CPU."""
    begin_chat(page)
    yield page
    model.release()


@pytest.fixture
def altered(context: BrowserContext, model: ScriptedModel) -> Iterator[Page]:
    """The same in a page of its own, for a test that leaves something in it."""
    page = open_chat(context)
    yield page
    model.release()
    page.close()


TOOL_NAME = "My conversations"


def test_web_answer_with_a_tool_is_the_same_after_a_reload(chat: Page) -> None:
    ask(chat, "tool, please")
    wait_until_done(chat)
    expect(answers(chat)).to_contain_text(TOLD)
    expect(chat.locator(".tool-card")).to_have_count(1)
    expect(chat.locator(".tool-name")).to_have_text(TOOL_NAME)  # read after the first paint
    before = transcript(chat)
    chat.reload()
    wait_until_done(chat)
    expect(chat.locator(".tool-name")).to_have_text(TOOL_NAME)
    assert transcript(chat) == before


def test_web_time_of_a_message_is_written_as_in_the_readers_country(chat: Page) -> None:
    ask(chat, "say: now")
    british = re.compile(r"^\d\d:\d\d$")  # an American's has AM or PM
    expect(chat.locator(".message time")).to_have_text(british)
    wait_until_done(chat)


MOMENTS = sorted(random.Random(SEED).sample(range(270), 50)) if IS_FULL else [12]
"""Pieces of the model's reply before which the page is loaded anew."""


@pytest.mark.long
@pytest.mark.parametrize("chunk", MOMENTS)
def test_web_reload_in_the_midst_loses_and_repeats_nothing(
    chat: Page, model: ScriptedModel, chunk: int
) -> None:
    model.hold(chunk)
    ask(chat, "a long one")
    if chunk > 30:
        expect(answers(chat)).to_contain_text("This is")
    else:
        expect(chat).to_have_url(re.compile("#/chat/.+"))
    chat.reload()
    expect(answers(chat)).to_have_attribute("aria-busy", "true")
    model.release()
    wait_until_done(chat)
    assert _squeezed(transcript(chat)) == _squeezed(["a long one", LONG])


def test_web_second_tab_shows_the_same_as_it_happens(
    chat: Page, context: BrowserContext, model: ScriptedModel
) -> None:
    ask(chat, "say: first")
    wait_until_done(chat)
    other = context.new_page()
    other.goto(chat.url)
    expect(log(other)).to_contain_text("first")
    model.hold(100)
    ask(chat, "a long one")
    expect(answers(other).last).to_have_attribute("aria-busy", "true")
    expect(answers(other).last).to_contain_text("paragraph 3")
    model.release()
    for page in (chat, other):
        wait_until_done(page)
    assert transcript(other) == transcript(chat)
    assert _squeezed(transcript(other)) == _squeezed(["say: first", "first", "a long one", LONG])
    other.close()


def test_web_lost_network_leaves_no_gap(
    chat: Page, context: BrowserContext, model: ScriptedModel
) -> None:
    model.hold(60)
    ask(chat, "a long one")
    expect(answers(chat)).to_contain_text("paragraph 2")
    context.set_offline(True)
    try:
        expect(chat.get_by_text("No connection.")).to_be_visible()
        model.release()
        if IS_FULL:
            chat.wait_for_timeout(20_000)
    finally:
        context.set_offline(False)
    wait_until_done(chat)
    expect(chat.get_by_text("No connection.")).to_be_hidden()
    assert _squeezed(transcript(chat)) == _squeezed(["a long one", LONG])


@pytest.mark.parametrize("is_refused", [False, True], ids=["answered", "refused"])
def test_web_new_chat_leaves_one_whose_first_message_is_under_way(
    altered: Page, is_refused: bool
) -> None:
    words = f"say: under way {is_refused}"
    held: list[Route] = []
    altered.route("**/run_agent", lambda route: held.append(route))
    ask(altered, words)
    expect(altered.get_by_text("Sending…")).to_be_visible()
    altered.get_by_role("button", name="New chat").first.click()
    expect(altered.get_by_role("heading", name="What can I help you with?")).to_be_visible()
    altered.get_by_label("Message", exact=True).fill("a second thought")
    for route in held:
        if is_refused:
            details = {"code": "permission-denied"}
            error = {"status": "PERMISSION_DENIED", "message": "no", "details": details}
            event = f"data: {json.dumps({'error': error})}\n\n"
            headers = {"Access-Control-Allow-Origin": "*", "Content-Type": "text/event-stream"}
            route.fulfill(headers=headers, body=event)
        else:
            route.continue_()
    if is_refused:
        expect(altered.locator(".toast")).to_contain_text(words)
        altered.get_by_role("button", name="Copy", exact=True).click()
        expect(altered.locator(".toast", has_text="Copied")).to_be_visible()
        assert altered.evaluate("navigator.clipboard.readText()") == words
    else:
        thread = altered.locator(".thread a", has_text="under way")
        expect(thread).to_be_visible()  # it was sent all the same
        expect(altered.get_by_label("Message", exact=True)).to_have_value("a second thought")
        thread.click()
        expect(answers(altered)).to_contain_text("under way")


def test_web_run_is_said_once_each_and_by_one_region(altered: Page, model: ScriptedModel) -> None:
    altered.evaluate(
        """() => {
          const region = document.querySelector("[role=status]");
          window.said = [];
          new MutationObserver(() => window.said.push(region.textContent)).observe(region, {
            subtree: true, childList: true, characterData: true,
          });
        }"""
    )
    ask(altered, "say: first")
    wait_until_done(altered)
    ask(altered, "fail")
    altered.get_by_role("group", name="The assistant cannot answer as it is set up").wait_for()
    expect(altered.get_by_role("status")).to_have_text("The answer failed")
    said = [each for each in altered.evaluate("window.said") if each != "Sending…"]
    begun, complete = "The answer has begun", "The answer is complete"
    assert [each.strip() for each in said] == [begun, complete, begun, "The answer failed"]
    assert altered.locator("[aria-live], [role=log], [role=status], [role=alert]").count() == 1


def test_web_first_words_are_shown_before_the_next_come(
    altered: Page, model: ScriptedModel
) -> None:
    """With RECORD, from the arrival of the first delta to the frame that shows it, in ms."""
    altered.evaluate(FIRST_DELTA)
    model.hold(12)  # a few pieces of text have come, and nothing else does
    ask(altered, "a long one")
    expect(answers(altered)).to_contain_text("This")
    if "RECORD" in os.environ:
        print(json.dumps({"first_delta_ms": altered.evaluate("window.shown - window.arrived")}))
    model.release()
    wait_until_done(altered)


GOOD_SHIFT = 0.1
"""Of the window: what Web Vitals call good, over a page's whole life."""
FIRST_DELTA = """() => {
  const usual = window.fetch;
  window.fetch = async (...args) => {
    const answer = await usual(...args);
    if (!String(args[0]?.url ?? args[0]).includes("run_agent") || !answer.body) return answer;
    const [own, page] = answer.body.tee();
    void (async () => {
      const words = new TextDecoder();
      for (const reader = own.getReader(); ; ) {
        const { done, value } = await reader.read();
        if (done) return;
        const text = words.decode(value, { stream: true });
        if (text.includes("TEXT_MESSAGE_CONTENT")) window.arrived ??= performance.now();
      }
    })();
    return new Response(page, answer);
  };
  new MutationObserver(() => {
    if (window.arrived === undefined || window.shown !== undefined) return;
    if (document.querySelector(".answer")?.textContent.includes("This"))
      requestAnimationFrame(() => setTimeout(() => (window.shown ??= performance.now())));
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def test_web_nothing_jumps_while_an_answer_is_written(altered: Page) -> None:
    ask(altered, "tool, please")
    wait_until_done(altered)
    expect(altered.locator(".tool-name")).to_have_text(TOOL_NAME)
    altered.evaluate(
        """() => {
          window.shifts = [];
          new PerformanceObserver((list) => window.shifts.push(
            ...list.getEntries().filter((each) => !each.hadRecentInput).map((each) => each.value),
          )).observe({ type: "layout-shift" });
        }"""
    )
    ask(altered, "a long one")
    wait_until_done(altered)
    assert sum(altered.evaluate("window.shifts")) <= GOOD_SHIFT


def test_web_stop_keeps_what_was_said(chat: Page, model: ScriptedModel) -> None:
    model.hold(60)
    ask(chat, "a long one")
    expect(answers(chat)).to_contain_text("paragraph 2")
    chat.get_by_role("button", name="Stop the answer").press("Enter")
    expect(answers(chat)).to_contain_text("Stopped, as you asked.")
    expect(chat.get_by_label("Message", exact=True)).to_be_focused()
    model.release()
    expect(answers(chat)).to_have_attribute("aria-busy", "false")
    expect(answers(chat)).to_contain_text("This is paragraph 1 of a long answer.")
    before = transcript(chat)
    chat.reload()
    expect(answers(chat)).to_contain_text("Stopped, as you asked.")
    expect(answers(chat)).to_have_attribute("aria-busy", "false")
    expect(lines(chat)).to_have_text(before)


def test_web_edited_message_takes_the_place_of_the_last(chat: Page) -> None:
    ask(chat, "say: one")
    wait_until_done(chat)
    edit = chat.get_by_role("button", name="Edit message")
    edit.press("Enter")
    chat.get_by_label("Edit message").press("Escape")
    expect(edit).to_be_focused()
    edit.press("Enter")
    chat.get_by_label("Edit message").fill("say: two")
    chat.get_by_role("button", name="Send again").press("Enter")
    expect(answers(chat)).to_be_focused()
    wait_until_done(chat)
    expect(lines(chat)).to_have_text(["say: two", "two"])
    chat.reload()
    wait_until_done(chat)
    expect(lines(chat)).to_have_text(["say: two", "two"])


def test_web_retry_asks_the_same_again(chat: Page) -> None:
    ask(chat, "say: one")
    wait_until_done(chat)
    chat.get_by_role("button", name="Ask again").press("Enter")
    expect(answers(chat)).to_be_focused()
    wait_until_done(chat)
    expect(lines(chat)).to_have_text(["say: one", "one"])


def test_web_reader_is_not_moved_by_what_comes(chat: Page, model: ScriptedModel) -> None:
    model.hold(200)
    ask(chat, "a long one")
    expect(answers(chat)).to_contain_text("paragraph 25")
    box = chat.locator(".log-scroll")
    box.evaluate("(box) => box.scrollTo(0, 40)")
    model.release()
    chat.get_by_role("button", name="New text below").wait_for()
    wait_until_done(chat)
    assert box.evaluate("(box) => box.scrollTop") == 40
    chat.get_by_role("button", name="New text below").click()
    left = box.evaluate("(box) => box.scrollHeight - box.scrollTop - box.clientHeight")
    assert left < 2


# The end moves on between the scroll to it and the event of that scroll.
GROW_TWICE = """() => {
  const inner = document.querySelector(".log");
  const grow = () => {
    const piece = document.createElement("div");
    piece.style.height = "400px";
    inner.append(piece);
  };
  let calls = 0;
  const observer = new ResizeObserver(() => {
    calls += 1;
    if (calls === 1 || calls === 2) grow();
    else observer.disconnect();
  });
  observer.observe(inner);
}"""


def test_web_writer_at_the_end_stays_there_however_fast_it_grows(altered: Page) -> None:
    ask(altered, "say: first")
    wait_until_done(altered)
    expect(altered.get_by_label("Message", exact=True)).to_be_focused()
    altered.evaluate(GROW_TWICE)
    altered.wait_for_function(
        """() => {
          const box = document.querySelector(".log-scroll");
          const left = box.scrollHeight - box.scrollTop - box.clientHeight;
          return box.scrollHeight > 800 && left < 2;
        }"""
    )


HOSTILE = (
    "<script>window.stolen = 1</script><img src=x onerror='window.stolen = 2'>"
    "<style>body { display: none }</style> [a link](javascript:window.stolen=3) "
    "\u202egnp.exe " + "x" * 20_000
)


def test_web_hostile_answer_does_nothing(chat: Page) -> None:
    ask(chat, "say: " + HOSTILE)
    wait_until_done(chat)
    expect(answers(chat)).to_contain_text("window.stolen = 1")
    assert chat.evaluate("window.stolen") is None
    assert chat.locator(".log script, .log style, .log img[src='x']").count() == 0
    for link in chat.locator(".log a").all():
        assert (link.get_attribute("href") or "").startswith(("https:", "mailto:", "#"))
    assert chat.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_web_files_are_refused_before_they_are_sent(chat: Page, tmp_path: Path) -> None:
    files = chat.locator("input[type=file]")
    files.set_input_files({"name": "a.exe", "mimeType": "application/x-dosexec", "buffer": b"MZ"})
    expect(chat.locator(".toast").last).to_contain_text("a type that is not taken")
    large = tmp_path / "b.txt"
    large.write_bytes(b"x" * 10_000_001)
    files.set_input_files(large)
    expect(chat.locator(".toast").last).to_contain_text("would be larger than")
    files.set_input_files({"name": "c.txt", "mimeType": "text/plain", "buffer": b"milk and bread"})
    expect(chat.locator(".attachment")).to_contain_text("14 bytes")
    ask(chat, "say: read")
    wait_until_done(chat)
    chat.reload()
    expect(chat.locator(".message .attachment")).to_contain_text("c.txt")
    chat.get_by_role("button", name="Edit message").click()
    chat.get_by_label("Edit message").fill("say: read again")
    chat.get_by_role("button", name="Send again").click()
    wait_until_done(chat)
    expect(chat.locator(".message .attachment")).to_contain_text("c.txt")
    expect(lines(chat)).to_have_text(["say: read again", "read again"])


def test_web_refused_key_is_told_with_what_to_do(chat: Page, model: ScriptedModel) -> None:
    ask(chat, "fail")
    problem = chat.get_by_role("group", name="The assistant cannot answer as it is set up")
    expect(problem).to_contain_text("Whoever runs this app can put it right")
    problem.get_by_role("button", name="Ask again").wait_for()
    chat.reload()
    expect(problem).to_be_visible()


def test_web_answer_is_copied_rated_and_commented(chat: Page) -> None:
    ask(chat, "say: **water** the lemons")
    wait_until_done(chat)
    chat.get_by_role("button", name="Copy as Markdown").click()
    expect(chat.locator(".toast").last).to_have_text("Copied")
    assert chat.evaluate("navigator.clipboard.readText()") == "**water** the lemons"
    chat.get_by_role("button", name="Good answer").click()
    chat.get_by_label("What was good or poor about it?").fill("To the point")
    chat.locator(".comment").get_by_role("button", name="Send").press("Enter")
    expect(chat.locator(".toast").last).to_contain_text("Your comment was kept")
    expect(chat.get_by_role("button", name="Poor answer")).to_be_focused()
    expect(chat.get_by_role("button", name="Good answer")).to_have_attribute("aria-pressed", "true")


def test_web_copy_that_the_browser_forbids_is_told(chat: Page) -> None:
    ask(chat, "say: `one`")
    wait_until_done(chat)
    chat.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden')); }"
    )
    chat.get_by_role("button", name="Copy as Markdown").click()
    expect(chat.locator(".toast").last).to_have_text("The browser did not allow copying.")


def _squeezed(texts: list[str]) -> str:
    """Without the white space that Markdown and the screen write in their own ways."""
    return "".join("".join(texts).split())
