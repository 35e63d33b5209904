"""A thread of many messages (in `make chaos` 2,000): read page by page, and fluent to write in."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from statistics import median

import pytest
from google.cloud.firestore import Client
from playwright.sync_api import BrowserContext, Page, expect

from rollcall.store.client import database
from tests.clients.web.scene import ask, open_chat, wait_until_done
from tests.support.full_form import amount

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
