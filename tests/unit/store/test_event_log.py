"""A run's events as documents: numbered, several to a document, none twice and none lost."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

import pytest
from google.api_core.datetime_helpers import DatetimeWithNanoseconds
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client
from google.cloud.firestore_v1._helpers import decode_dict

from rollcall.core import events
from rollcall.store.event_log import DOCUMENT_BYTES, EventLog, missing_end_events

TIME = DatetimeWithNanoseconds(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def db() -> Client:
    """A client that only gathers batches; nothing is sent."""
    return Client(project="demo-x", credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]


def log() -> EventLog:
    return EventLog("ann", "t", "r", writer="mine", page_time=TIME)


def documents(db: Client, gathered: EventLog, *, is_last: bool = False) -> list[dict[str, Any]]:
    """The pages that a batch would write of the gathered events."""
    batch = db.batch()
    gathered.write(batch, db, save="mine.1", is_last=is_last)
    pages = [decode_dict(write.update.fields, db) for write in batch._write_pbs]
    return [page for page in pages if "n" in page]


def text(number: int) -> events.Event:
    return events.text_content("m", f"piece {number}")


def test_events_are_numbered_as_they_are_shown_and_as_they_are_stored(db: Client) -> None:
    gathered = log()
    shown = [gathered.add(text(number)) for number in range(3)]
    (document,) = documents(db, gathered)
    assert [event["metadata"]["n"] for event in shown] == [0, 1, 2]
    assert json.loads(document["events"]) == shown
    assert (document["n"], document["first"], document["count"], document["attempt"]) == (
        0,
        0,
        3,
        1,
    )
    assert (document["uid"], document["schemaVersion"]) == ("ann", 2)


def test_the_next_document_goes_on_where_the_last_one_ended(db: Client) -> None:
    gathered = log()
    gathered.add(text(0))
    gathered.add(text(1))
    documents(db, gathered)
    gathered.mark_stored(TIME)
    assert not gathered.buffered_bytes
    gathered.add(text(2))
    (document,) = documents(db, gathered)
    assert (document["n"], document["first"], document["count"]) == (1, 2, 1)


def test_what_was_not_stored_is_written_again_the_same(db: Client) -> None:
    gathered = log()
    gathered.add(text(0))
    first = documents(db, gathered)
    gathered.add(text(1))
    second = documents(db, gathered)
    assert [document["n"] for document in (*first, *second)] == [0, 0]
    assert second[0]["count"] == 2


def test_what_comes_while_a_batch_is_committed_waits_for_the_next(db: Client) -> None:
    gathered = log()
    gathered.add(text(0))
    documents(db, gathered)
    late = gathered.add(text(1))
    gathered.mark_stored(TIME)
    (document,) = documents(db, gathered)
    assert json.loads(document["events"]) == [late]
    assert document["first"] == 1


def test_many_events_are_spread_over_documents_of_bounded_size(db: Client) -> None:
    gathered = log()
    shown = [gathered.add(events.text_content("m", "x" * 90_000)) for _ in range(7)]
    found = documents(db, gathered)
    assert len(found) == 4
    assert [document["n"] for document in found] == [0, 1, 2, 3]
    assert [event for each in found for event in json.loads(each["events"])] == shown
    assert all(len(each["events"]) <= DOCUMENT_BYTES + 100 for each in found)
    gathered.mark_stored(TIME)
    assert (gathered.page, gathered.count) == (4, 7)


def test_a_result_that_is_too_large_is_left_to_the_runs_document(db: Client) -> None:
    gathered = log()
    text = "x" * (DOCUMENT_BYTES + 1)
    large = {"outcome": {"type": "success"}, "usage": [], "message": text}
    shown = gathered.add(events.run_finished(thread_id="t", run_id="r", result=large))
    (document,) = documents(db, gathered)
    assert shown["result"] == large
    assert "result" not in json.loads(document["events"])[0]


def test_a_save_without_events_writes_an_empty_page(db: Client) -> None:
    (page,) = documents(db, log())
    assert (page["n"], page["first"], page["count"], page["events"]) == (0, 0, 0, "[]")


def test_a_save_writes_on_the_open_page_if_nobody_touched_it_and_opens_the_next(
    db: Client,
) -> None:
    gathered = log()
    gathered.add(text(0))
    batch = db.batch()
    gathered.write(batch, db, save="mine.1", is_last=False)
    written, opened = batch._write_pbs
    assert written.update.name.endswith("/events/000000")
    assert written.current_document.update_time == TIME
    assert opened.update.name.endswith("/events/000001")
    assert opened.current_document.exists is False
    assert decode_dict(opened.update.fields, db)["by"] == "mine"


def test_the_last_save_opens_no_page(db: Client) -> None:
    batch = db.batch()
    log().write(batch, db, save="mine.1", is_last=True)
    assert len(batch._write_pbs) == 1


def test_what_was_begun_is_ended_the_last_begun_first() -> None:
    shown = [
        events.run_started(thread_id="t", run_id="r"),
        events.step_started(1),
        events.text_start("m1"),
        events.text_content("m1", "Hi"),
        events.text_end("m1"),
        events.call_start(call_id="c1", name="look_up", parent_id="m1"),
        events.call_end("c1"),
        events.text_start("m2"),
        events.call_start(call_id="c2", name="look_up", parent_id="m2"),
    ]
    ended = missing_end_events(shown)
    assert [event["type"] for event in ended] == [
        "TOOL_CALL_END",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
    ]
    assert (ended[0]["toolCallId"], ended[1]["messageId"]) == ("c2", "m2")
    assert missing_end_events([*shown, *ended]) == []


def test_nothing_begun_ends_nothing() -> None:
    assert missing_end_events([]) == []
