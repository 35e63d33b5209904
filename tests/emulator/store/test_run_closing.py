"""Stopping a run in the store: its process stops at the next save."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.errors import Aborted, NotFound, PermissionDenied
from rollcall.core.messages import ModelMessage, ToolCall, ToolMessage, ToolResult
from rollcall.store import open_run, paths
from rollcall.store.message_log import TurnUsage
from rollcall.store.recovery import recover_run
from rollcall.store.run_closing import cancel
from tests.emulator.store.test_run_opening import RESULT, answer, history_of, opened, opening
from tests.support.run_times import end_lease

CALL = ToolCall("c1", "look_up", {})


def test_a_live_run_heeds_it_at_its_next_save_and_loses_nothing(db: Client) -> None:
    run = opened(db, opening())
    assert cancel(db, "ann", run.thread_id, "r1") == "cancelling"
    assert not run.is_cancelled
    run.save_reply(1, ModelMessage("", (CALL,)), TurnUsage())
    assert run.is_cancelled
    run.save_results({0: (ToolResult("c1", "look_up", "{}"), {})})
    answer(run, "Stopped.")
    log = paths.thread(db, run.thread_id).collection("messages").stream()
    assert len(list(log)) == 3


def test_a_quiet_run_looks_for_it(db: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_run, "LOOK_S", 0.0)
    run = opened(db, opening())
    cancel(db, "ann", run.thread_id, "r1")
    run.tick()
    assert run.is_cancelled


def test_it_reaches_a_run_that_is_taken_up_later(db: Client) -> None:
    run = opened(db, opening())
    cancel(db, "ann", run.thread_id, "r1")
    end_lease(db, run.thread_id, "r1")
    taken = recover_run(db, run.thread_id, "r1")
    assert taken is not None
    assert taken.is_cancelled


def test_stops_and_saves_at_once_lose_neither(db: Client) -> None:
    run = opened(db, opening())
    with ThreadPoolExecutor(4) as pool:
        stops = [pool.submit(cancel, db, "ann", run.thread_id, "r1") for _ in range(4)]
        for step in range(1, 6):
            run.save_reply(step, ModelMessage("", (CALL,)), TurnUsage())
            run.save_results({0: (ToolResult("c1", "look_up", "{}"), {})})
        outcomes = {_outcome(each) for each in stops}
    assert outcomes <= {"cancelling", "busy"}
    assert run.next_message == 6
    if "cancelling" in outcomes:
        run.save_reply(6, ModelMessage(""), TurnUsage())
        assert run.is_cancelled


def _outcome(stop: object) -> str:
    try:
        return str(stop.result(60))  # type: ignore[attr-defined]
    except Aborted:
        return "busy"


def test_a_run_that_is_closed_can_save_nothing_more(db: Client) -> None:
    run = opened(db, opening())
    run.save_reply(1, ModelMessage("", (CALL,)), TurnUsage())
    end_lease(db, run.thread_id, "r1")
    assert cancel(db, "ann", run.thread_id, "r1") == "cancelled"
    with pytest.raises(Aborted):
        run.save_results({0: (ToolResult("c1", "look_up", "{}"), {})})
    history = history_of(opened(db, opening("r2", is_new=False)))
    assert isinstance(history[2], ToolMessage)
    assert "cut off" in history[2].results[0].content


def test_what_a_closed_run_had_written_is_in_the_next_ones_history(db: Client) -> None:
    """The window view knows nothing of what a run wrote that never ended."""
    answer(opened(db, opening()), "Hi.")
    run = opened(db, opening("r2", is_new=False))
    run.save_reply(1, ModelMessage("Let me see.", (CALL,)), TurnUsage())
    run.save_results({0: (ToolResult("c1", "look_up", '{"output": "found"}'), {})})
    end_lease(db, run.thread_id, "r2")
    cancel(db, "ann", run.thread_id, "r2")
    history = history_of(opened(db, opening("r3", is_new=False)))
    assert "found" in str(history[-2])


def test_whoever_closes_a_run_tells_the_audit_what_was_saved_of_it_once(db: Client) -> None:
    run = opened(db, opening())
    run.save_reply(1, ModelMessage("", (CALL, CALL)), TurnUsage(tokens=9, micro_usd=700))
    record = {"status": "failed", "ms": 40, "step": 1}
    run.save_results({0: (ToolResult("c1", "look_up", "{}", is_error=True), record)})
    end_lease(db, run.thread_id, "r1")
    for _ in range(2):
        assert cancel(db, "ann", run.thread_id, "r1") == "cancelled"
    (entry,) = trail(db)
    assert (entry["runId"], entry["outcome"], entry["stopReason"]) == (
        *("r1", "cancelled", "cancelled"),
    )
    assert [(each["tool"], each["status"], each["ms"]) for each in entry["calls"]] == [
        ("look_up", "failed", 40)
    ]
    assert (entry["steps"], entry["microUsd"], entry["attempt"]) == (1, 700, 1)
    assert entry["beganAt"] <= entry["at"] <= datetime.now(UTC)


def test_a_run_whose_thread_is_taken_over_is_told_once_and_its_own_cost_alone(db: Client) -> None:
    first = opened(db, opening())
    first.save_reply(1, ModelMessage("", (CALL,)), TurnUsage(micro_usd=500))
    opened(db, opening("r2", is_new=False, supersede=True))
    first.fail({"code": "internal"})  # too late
    end_lease(db, first.thread_id, "r2")
    opened(db, opening("r3", is_new=False))
    told = {entry["runId"]: entry for entry in trail(db)}
    assert {id: each["outcome"] for id, each in told.items()} == {"r1": "failed", "r2": "failed"}
    assert (told["r1"]["microUsd"], told["r2"]["microUsd"]) == (500, 0)
    assert told["r1"]["callsLeftOut"] == len(told["r1"]["calls"]) == 0


def test_only_one_of_many_that_close_a_run_tells_of_it(db: Client) -> None:
    run = opened(db, opening())
    end_lease(db, run.thread_id, "r1")
    with ThreadPoolExecutor(4) as pool:
        stops = [pool.submit(cancel, db, "ann", run.thread_id, "r1") for _ in range(4)]
        assert {_outcome(each) for each in stops} <= {"cancelled", "busy"}
    assert [entry["runId"] for entry in trail(db)] == ["r1"]


def trail(db: Client) -> list[dict[str, Any]]:
    """The runs that the audit knows of."""
    found = [each.to_dict() or {} for each in db.collection("audit").stream()]
    return [each for each in found if each["kind"] == "run"]


def test_only_the_owner_stops_a_run(db: Client) -> None:
    run = opened(db, opening())
    with pytest.raises(PermissionDenied):
        cancel(db, "eve", run.thread_id, "r1")
    with pytest.raises(NotFound):
        cancel(db, "ann", run.thread_id, "r9")
    answer(run, "Hi.")
    assert cancel(db, "ann", run.thread_id, "r1") == "done"


BROKEN = {"code": "internal", "message": "it broke off"}


def test_a_run_that_has_ended_cannot_give_its_successors_lease_away(db: Client) -> None:
    first = opened(db, opening())
    answer(first, "Hi.")
    second = opened(db, opening("r2", text="And now?", is_new=False))
    first.fail(BROKEN)
    thread = paths.thread(db, second.thread_id).get().to_dict() or {}
    run = paths.run(db, second.thread_id, "r1").get().to_dict() or {}
    assert (thread["lease"]["runId"], thread["nextMessage"]) == ("r2", 3)
    assert run["status"] == "done"
    with pytest.raises(Aborted, match="r2 is still answering"):
        opened(db, opening("r3", text="Me too", is_new=False))


def test_a_thread_whose_newest_document_outgrows_the_view_still_opens(db: Client) -> None:
    run = opened(db, opening())
    calls = tuple(ToolCall(f"c{n}", "search", {}) for n in range(16))
    run.save_reply(1, ModelMessage("", calls), TurnUsage())
    for place, call in enumerate(calls):
        run.save_results({place: (ToolResult(call.id, "search", "א" * 24_000), {})})
    run.fail(BROKEN)
    again = opened(db, opening("r2", text="And now?", is_new=False))
    assert again.next_message == 3
    assert len(history_of(again)) == 4  # rebuilt from the log


def test_an_answer_that_could_not_be_saved_is_in_no_view(db: Client) -> None:
    run = opened(db, opening())
    with pytest.raises(Exception, match="400"):
        run.finish(step=1, answer=ModelMessage("x" * 1_100_000), spent=TurnUsage(), result=RESULT)
    run.fail(BROKEN)
    view = paths.window(db, run.thread_id).get().to_dict() or {}
    assert [document["n"] for document in json.loads(view["log"])] == [0]
    assert opened(db, opening("r2", text="Again", is_new=False)).next_message == 2


@pytest.mark.parametrize("context", [{"a": [[1]]}, {"": 1}, {"__x__": 1}, {"a.b`c": 1}])
def test_any_context_that_is_json_can_be_kept(db: Client, context: dict[str, object]) -> None:
    assert opened(db, opening(context=context)).next_message == 1
