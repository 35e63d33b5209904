"""The audit log's entries of runs: which tools were offered, found, missed and called."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from rollcall.core.context import Call, User
from rollcall.core.profile import Variant
from rollcall.endpoints.rate_message import rate_message
from rollcall.registry import selection
from rollcall.registry.usage import roll_up, usage
from rollcall.testing import calls, says
from tests.support.office import Office, RunResponse


def entry(office: Office, ran: RunResponse) -> dict[str, Any]:
    found = [each.to_dict() or {} for each in office.db.collection("audit").stream()]
    (mine,) = [
        each for each in found if each["kind"] == "run" and each["runId"] == ran.done["runId"]
    ]
    return mine


def test_a_run_tells_what_was_chosen_called_and_how_it_went(office: Office) -> None:
    ran = office.ask(calls(("look_up", {}), ("look_nowhere", {})), says("Done."))
    told = entry(office, ran)
    assert (told["variant"], told["found"], told["missed"]) == (None, [], [])
    assert {"look_up", "look_nowhere"} <= set(told["offered"])
    assert told["offeredCount"] == len(told["offered"])
    assert [(call["tool"], call["status"], call["error"]) for call in told["calls"]] == [
        ("look_up", "done", None),
        ("look_nowhere", "failed", "unavailable"),
    ]
    assert all(call["ms"] >= 0 for call in told["calls"])


def test_what_the_model_had_to_search_for_was_missed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "FEW", 0)
    office.declare(max_tools=1, pinned=("look_up",))
    ran = office.ask(
        calls(("find_tools", {"query": "stamp a paper"})),
        calls(("stamp", {"paper": "lease"})),
        says("Stamped."),
        message="Please look up the word lease.",
    )
    told = entry(office, ran)
    assert "stamp" not in told["offered"]
    assert "stamp" in told["found"]
    assert told["missed"] == ["stamp"]
    assert ran.statuses() == ["done", "done"]


def test_a_variant_is_told_by_all_runs_of_its_turn(office: Office) -> None:
    office.declare(variants=(Variant("V1", tools="all"),))
    asked = office.ask(calls(("pay", {"amountUsd": 5, "to": "bob"})))
    paid = office.resume(asked, says("Paid."))
    assert [entry(office, ran)["variant"] for ran in (asked, paid)] == ["V1", "V1"]
    assert entry(office, paid)["turnId"] == entry(office, asked)["runId"]


def test_runs_and_their_ratings_come_to_a_report(office: Office) -> None:
    ran = office.ask(calls(("look_up", {})), says("Done."))
    ids = {"threadId": ran.thread, "runId": ran.done["runId"]}
    rate_message(office.platform, Call(User("ann"), {**ids, "rating": "up"}))
    assert roll_up(office.db, {"look_up"}, settled=timedelta(0)) == 2
    day = entry(office, ran)["beganAt"].date()
    found = usage(office.db, day, day)
    ((runs, counts),) = [each for each in found.items() if each[0].tool is None]
    assert (runs.agent, counts.runs, counts.called, counts.up) == ("office", 1, 1, 1)
    look_up = found[replace(runs, tool="look_up")]
    assert (look_up.succeeded, look_up.up) == (1, 1)
