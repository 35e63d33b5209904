"""Runs whose caller takes the result alone, without a stream."""

from __future__ import annotations

from typing import Any

from rollcall.store.event_log import read_events
from rollcall.store.runs import thread_id_for
from rollcall.testing import calls, says
from tests.support.office import Office, check_events

DATA = {"agent": "office", "message": "What is new?", "runId": "r1"}
THREAD = thread_id_for("ann", "r1")


def stream_flags(office: Office) -> list[bool]:
    """Which of the model's replies were asked for as a stream."""
    return [request.streamed for request in office.model.requests]


def stored_events(office: Office, thread_id: str, run_id: str) -> list[dict[str, Any]]:
    found = read_events(office.db, thread_id, run_id)
    return [event for _, events in found for event in events]


def test_replies_are_asked_for_in_one_piece_and_told_all_the_same(office: Office) -> None:
    office.model.replies = [calls(("look_up", {})), says("All quiet.")]
    response = office.functions.post("run_agent", DATA)
    assert response.json["result"]["message"] == "All quiet."
    assert stream_flags(office) == [False, False]
    events = stored_events(office, THREAD, "r1")
    check_events(events, ended=True)  # what another tab follows
    assert any(event["type"] == "TOOL_CALL_RESULT" for event in events)


def test_a_caller_who_watches_gets_a_stream(office: Office) -> None:
    office.call(DATA)
    assert stream_flags(office) == [True]


def test_what_goes_on_after_an_answer_is_for_who_gives_it(office: Office) -> None:
    pay = calls(("pay", {"amountUsd": 5, "to": "bob"}))
    asked = office.ask(pay)
    entries = [
        {"interruptId": each["id"], "status": "resolved", "payload": {"approved": True}}
        for each in asked.interrupts
    ]
    answer = {"agent": "office", "threadId": asked.thread, "resume": entries}
    response = office.functions.post("run_agent", answer)
    assert response.json["result"]["message"] == "Done."
    assert stream_flags(office) == [True, False]


def test_what_the_task_queue_goes_on_with_may_be_watched(office: Office) -> None:
    asked = office.ask(calls(("pay", {"amountUsd": 5, "to": "bob"})))
    office.decide(asked.interrupts[0]["id"], approved=True, by="ann")
    office.run_queue()
    assert stream_flags(office) == [True, True]
