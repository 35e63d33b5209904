"""Samples of capabilities' health, which runs and direct calls record beside their own work."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from google.cloud.firestore import Client
from msgspec import json

from rollcall.models.base import Delta, ModelRequest
from rollcall.registry import recorder, snapshot
from rollcall.registry.health import check
from rollcall.registry.recorder import FLUSH_S, SAMPLES, HealthRecorder, ObservedCall
from rollcall.testing import calls, says
from tests.support.office import Office


@pytest.fixture
def always_flush(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is time to tell, whenever there is something."""
    monkeypatch.setattr(recorder, "FLUSH_S", 0.0)


def join_writers() -> None:
    """Wait until what is being told is stored."""
    for thread in threading.enumerate():
        if thread.name.endswith("(_write)"):
            thread.join(60)


def sample_totals(db: Client) -> dict[str, dict[str, Any]]:
    """What the samples of this test say, added up by tool.

    What was seen while a sample was being written is told with the next request; here it is that.
    """
    join_writers()
    recorder.recorder(db.project).flush(recorder.by_client(db))
    join_writers()
    found: dict[str, dict[str, Any]] = {}
    for sample in db.collection(SAMPLES).stream():
        for call in json.decode(sample.get("calls"), type=list[ObservedCall]):
            sums = found.setdefault(call.id, {"ok": 0, "failed": 0})
            sums["ok"] += call.code is None
            sums["failed"] += call.code is not None
            sums["failure"] = {"code": call.code, "message": call.message}
    return found


@pytest.mark.usefixtures("always_flush")
def test_a_runs_calls_are_told_when_it_ends(office: Office) -> None:
    office.ask(calls(("look_up", {"word": "a"}), ("look_nowhere", {})), says("Done."))
    found = sample_totals(office.db)
    assert (found["look_up"]["ok"], found["look_nowhere"]["failed"]) == (1, 1)
    failure = found["look_nowhere"]["failure"]
    assert (failure["code"], failure["message"]) == ("unavailable", "the archive is closed")


@pytest.mark.usefixtures("always_flush")
def test_direct_calls_are_told_too(office: Office) -> None:
    office.write_documents()
    for name in ("look_up", "look_nowhere"):
        office.functions.post(name, {"arguments": {}})
    office.functions.post("look_up", {"arguments": {"word": 7}})  # no fault of the capability's
    found = sample_totals(office.db)
    assert {id: (each["ok"], each["failed"]) for id, each in found.items()} == {
        "look_up": (1, 0),
        "look_nowhere": (0, 1),
    }


@pytest.mark.usefixtures("always_flush")
def test_what_a_person_refused_and_what_a_client_ran_says_nothing(office: Office) -> None:
    asked = office.ask(calls(("pay", {"amountUsd": 5, "to": "bob"})))
    office.resume(asked, says("No."), answers=[{"approved": False}])
    left = office.ask(calls(("open_file", {"path": "a"})), clientTools=["open_file"])
    call_id = left.done["outcome"]["pendingToolCallIds"][0]
    results = [{"toolCallId": call_id, "error": "no such file"}]
    office.send({"toolResults": results, "threadId": left.thread}, clientTools=["open_file"])
    assert sample_totals(office.db) == {}


@pytest.mark.usefixtures("always_flush")
def test_a_tool_that_fails_in_five_runs_is_down_if_they_are_not_all_one_users(
    office: Office,
) -> None:
    for uid, state in (("ann", "degraded"), ("ben", "down")):
        for _ in range(5):
            office.ask(calls(("look_nowhere", {})), says("Done."), uid=uid)
        sample_totals(office.db)
        states = check(office.db, {}, probe=lambda entry: None, now=time.time())
        assert states == {"look_nowhere": state}


def test_most_runs_write_nothing_for_it(office: Office) -> None:
    for _ in range(3):
        office.ask(calls(("look_up", {"word": "a"})), says("Done."))
    assert sample_totals(office.db) == {}
    assert [call.code for call in recorder.recorder(office.db.project).calls] == [None] * 3


@pytest.mark.usefixtures("always_flush")
def test_a_database_that_takes_no_sample_slows_no_run(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = threading.Event()

    def write(self: HealthRecorder, *args: Any) -> None:
        hangs.wait(60)

    monkeypatch.setattr(HealthRecorder, "_write", write)
    began = time.monotonic()
    for _ in range(3):
        ran = office.ask(calls(("look_nowhere", {})), says("Done."))
        assert ran.done["outcome"]["type"] == "success"
    hangs.set()
    assert time.monotonic() - began < 30
    assert sample_totals(office.db) == {}


def test_failures_are_told_with_the_next_request(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.ask(calls(("look_nowhere", {})), says("Done."))
    assert sample_totals(office.db) == {}
    seeing = recorder.recorder(office.db.project)
    monkeypatch.setattr(seeing, "_written_at", time.time() - FLUSH_S)
    office.ask(says("Hello."))  # the next request tells what the last one saw
    assert sample_totals(office.db)["look_nowhere"]["failed"] == 1


def report_down(office: Office, tool: str) -> Any:
    """A reply that calls the tool, while this is found to be down."""

    def reply(request: ModelRequest) -> Iterator[Delta]:
        office.db.document("registry/manifest").update({"health": {tool: "down"}})
        snapshot.forget()
        yield from calls((tool, {"amountUsd": 5, "to": "bob"} if tool == "pay" else {}))

    return reply


def test_what_goes_down_while_it_is_offered_is_refused_at_once(office: Office) -> None:
    ran = office.ask(report_down(office, "look_up"), says("It is out of order."))
    (told_back,) = office.model.tool_results()
    assert told_back["error"]["code"] == "failed-precondition"
    assert "does not work at present" in told_back["error"]["message"]
    assert ran.statuses() == ["failed"]
    assert office.done("look_up") == []
    assert not recorder.recorder(office.db.project).calls  # no failure of its own


def test_what_is_down_is_not_offered(office: Office) -> None:
    office.db.document("registry/manifest").update(
        {"health": {"look_up": "down", "pay": "degraded"}}
    )
    snapshot.forget()
    office.ask(says("Hello."))
    offered = {tool.name for tool in office.model.requests[-1].tools}
    assert "look_up" not in offered
    assert "pay" in offered


def test_what_a_person_said_yes_to_is_tried_all_the_same(office: Office) -> None:
    asked = office.ask(calls(("pay", {"amountUsd": 5, "to": "bob"})))
    office.db.document("registry/manifest").update({"health": {"pay": "down"}})
    snapshot.forget()
    office.resume(asked, says("Paid."))
    assert len(office.done("pay")) == 1
