"""`cancel_run`: of a run that is running, that waits, whose process died, and that is done."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from rollcall.core.context import Call, User
from rollcall.endpoints.run_agent import run_agent
from rollcall.models.base import Delta, ModelRequest, TextDelta
from rollcall.store import open_run
from rollcall.store.runs import thread_id_for
from rollcall.testing import calls, says
from tests.support.office import Office, check_events, payment
from tests.support.run_times import end_lease

DATA = {"agent": "office", "message": "What is new?", "runId": "r1"}
THREAD = thread_id_for("ann", "r1")


def cancel(office: Office, run_id: str = "r1", *, thread_id: str = THREAD, uid: str = "ann") -> Any:
    """The status that `cancel_run` tells; or the code it refuses with."""
    data = {"threadId": thread_id, "runId": run_id}
    body = office.functions.post("cancel_run", data, uid=uid).json
    return body["result"]["status"] if "result" in body else body["error"]["details"]["code"]


@pytest.fixture
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quiet run looks whether it was cancelled each second."""
    monkeypatch.setattr(open_run, "LOOK_S", 0.0)


@pytest.mark.usefixtures("looks_often")
def test_an_answer_that_is_stopped_keeps_what_was_said_and_says_so(office: Office) -> None:
    is_over = threading.Event()

    def endless(request: ModelRequest) -> Iterator[Delta]:
        yield TextDelta("The first half")
        is_over.wait(60)  # goes on without another word
        yield TextDelta(" and the other")

    office.model.replies = [endless]
    stream = run_agent(office.platform, Call(User("ann"), DATA))
    seen: list[Any] = []
    for event in stream:
        seen.append(event)
        if event and event["type"] == "TEXT_MESSAGE_CONTENT":
            break
    assert cancel(office) == "cancelling"
    seen += list(stream)
    is_over.set()
    events = [event for event in seen if event]
    check_events(events, ended=True)
    result = events[-1]["result"]
    assert result["outcome"] == {"type": "cancelled"}
    assert (result["stopReason"], office.run(THREAD, "r1")["status"]) == ("cancelled", "cancelled")
    assert result["message"] == "The first half\n\nStopped, as you asked."
    shown = "".join(e["delta"] for e in events if e["type"] == "TEXT_MESSAGE_CONTENT")
    assert shown == result["message"]
    assert cancel(office) == "cancelled"
    assert office.ask(says("Hi."), threadId=THREAD).done["message"] == "Hi."
    office.check_history()


@pytest.mark.usefixtures("looks_often")
def test_a_read_that_is_stopped_is_told_so_and_left(office: Office) -> None:
    office.model.replies = [calls(("read_slowly", {}))]
    stream = run_agent(office.platform, Call(User("ann"), DATA))
    while next(stream) is not None or not office.hooks.reading.is_set():
        pass
    assert cancel(office) == "cancelling"
    last = [event for event in stream if event][-1]
    assert last["result"]["stopReason"] == "cancelled"
    assert office.ask(says("Hi."), threadId=THREAD).done["message"] == "Hi."
    office.check_history()


@pytest.mark.usefixtures("looks_often")
def test_a_write_that_is_under_way_is_seen_to_its_end(office: Office) -> None:
    has_begun, may_end = threading.Event(), threading.Event()

    def paying() -> None:
        has_begun.set()
        may_end.wait(60)

    office.hooks.paying = paying
    office.override("capabilities/pay", approval={"ask": "never"})
    office.model.replies = [payment(5, "bob")]
    stream = run_agent(office.platform, Call(User("ann"), DATA))
    while next(stream) is not None or not has_begun.is_set():
        pass
    cancel(office)
    while next(stream) is not None:
        pass
    may_end.set()
    last = [event for event in stream if event][-1]
    assert [call["status"] for call in last["result"]["toolCalls"]] == ["done"]
    assert (last["result"]["stopReason"], len(office.done("pay"))) == ("cancelled", 1)


def test_a_question_that_is_stopped_is_closed(office: Office) -> None:
    asked = office.send(DATA, payment(5, "bob"))
    assert cancel(office) == "cancelled"
    assert [each["status"] for each in office.approvals().values()] == ["expired"]
    assert office.resume(asked).code == "failed-precondition"
    assert office.ask(says("Hi."), threadId=THREAD).done["message"] == "Hi."
    assert office.done() == []
    office.check_history()
    assert "expired" in str(office.model.requests[-1].messages)


def test_what_is_decided_and_about_to_be_carried_out_is_not_stopped_half_way(
    office: Office,
) -> None:
    asked = office.send(DATA, payment(5, "bob"))
    office.decide(asked.interrupts[0]["id"], approved=True, by="ann")
    assert cancel(office) == "aborted"
    office.run_queue()
    assert len(office.done("pay")) == 1


def test_a_run_that_nobody_is_on_is_closed(office: Office) -> None:
    office.crash(DATA, payment(5, "bob"), at="save_reply", before=False)
    end_lease(office.db, THREAD, "r1")
    assert cancel(office) == "cancelled"
    assert office.sweep() == 0
    again = office.call(DATA)
    assert again.done["outcome"] == {"type": "cancelled"}
    assert office.ask(says("Hi."), threadId=THREAD).done["message"] == "Hi."
    office.check_history()
    assert office.done() == []


@pytest.mark.parametrize("at", ["save_results", "finish"])
def test_a_continuation_that_nobody_is_on_is_closed_with_what_it_did(
    office: Office, at: str
) -> None:
    asked = office.send(DATA, payment(5, "bob"))
    entry = {"interruptId": asked.interrupts[0]["id"], "status": "resolved"}
    yes = {**entry, "payload": {"approved": True}}
    office.crash(
        {"threadId": THREAD, "runId": "yes", "resume": [yes]},
        calls(("look_up", {})),
        at=at,
        before=at == "finish",
    )
    end_lease(office.db, THREAD, "yes")
    assert cancel(office, "yes") == "cancelled"
    assert office.ask(says("Hi."), threadId=THREAD).done["message"] == "Hi."
    office.check_history()
    assert '"paid":5.0' in str(office.model.requests[-1].messages)
    assert len(office.done("pay")) == 1


def test_a_run_that_is_done_stays_done(office: Office) -> None:
    first = office.send(DATA)
    assert cancel(office) == "done"
    assert office.call(DATA).done == first.done


def test_a_run_that_failed_stays_failed(office: Office) -> None:
    from rollcall.core.errors import Unavailable

    office.send(DATA, Unavailable("no route", retry_after_s=999))
    assert cancel(office) == "failed"


@pytest.mark.parametrize(
    ("run_id", "thread_id", "uid", "code"),
    [
        ("r1", THREAD, "eve", "permission-denied"),
        ("nowhere", THREAD, "ann", "not-found"),
        ("r1", "nowhere", "ann", "not-found"),
        ("r1/../x", THREAD, "ann", "invalid-argument"),
    ],
)
def test_nobody_stops_what_is_not_theirs(
    office: Office, run_id: str, thread_id: str, uid: str, code: str
) -> None:
    office.send(DATA, payment(5, "bob"))
    assert cancel(office, run_id, thread_id=thread_id, uid=uid) == code
    assert [each["status"] for each in office.approvals().values()] == ["pending"]


def test_a_run_that_was_handed_over_is_closed_at_once(office: Office) -> None:
    office.model.replies = [calls(("look_up", {}))]
    stream = run_agent(office.platform, Call(User("ann"), DATA))
    next(stream)
    stream.close()
    assert cancel(office) == "cancelled"
    office.run_queue()
    assert office.done() == []
