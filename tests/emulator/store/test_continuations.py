"""Recovered runs and continued turns: one process gets to go on, and the others can save
nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.cloud.firestore import Client
from msgspec import to_builtins

from rollcall.core.context import Decider, User
from rollcall.core.errors import Aborted, FailedPrecondition
from rollcall.core.messages import ModelMessage, ToolCall, ToolMessage, ToolResult
from rollcall.store import paths
from rollcall.store.approvals import (
    Approval,
    ApprovalDecision,
    ApprovalStatus,
    Card,
    RememberedApproval,
    approval_id,
    load_approvals,
)
from rollcall.store.continuations import (
    Continuation,
    StillWaiting,
    mark_settled,
    open_continuation,
    write_decisions,
)
from rollcall.store.message_log import TurnUsage
from rollcall.store.open_run import OpenRun
from rollcall.store.recovery import recover_run
from tests.emulator.store.test_run_opening import RESULT, answer, history_of, opened, opening
from tests.support.lost_commits import lose_commit
from tests.support.office import run_concurrently
from tests.support.run_times import end_lease
from tests.support.user_data import update_times

CALL = ToolCall("c1", "pay", {"amountUsd": 5})
FOUND = ToolResult("c1", "pay", '{"output": 5}')
YES = ApprovalDecision(approved=True, by="ann", at=datetime.now(UTC))
NO = ApprovalDecision(approved=False, by="ann", at=datetime.now(UTC), reason="no")
NEVER = datetime.now(UTC) + timedelta(days=1)


def approval(run: OpenRun, place: int = 0, **changes: Any) -> Approval:
    fields: dict[str, Any] = {
        "id": approval_id(run.thread_id, run.run_id, place),
        "uid": "ann",
        "thread_id": run.thread_id,
        "run_id": run.run_id,
        "turn_id": run.turn_id,
        "agent": run.agent,
        "call_id": f"c{place + 1}",
        "place": place,
        "tool": "pay",
        "version": 1,
        "capability_digest": "digest",
        "arguments": {"amountUsd": 5},
        "shown": {"amountUsd": 5},
        "summary": "Pay $5",
        "display": None,
        "locale": "en",
        "decider": Decider(uid="ann"),
        "created_at": datetime.now(UTC),
        "expires_at": NEVER,
    }
    return Approval(**{**fields, **changes})


def waiting(db: Client, number: int = 1, *, calls: bool = False, **changes: Any) -> OpenRun:
    """A run that waits for so many approvals, and for a call of the client if asked for."""
    run = opened(db, opening())
    wanted = tuple(
        ToolCall(f"c{place + 1}", "pay", {"amountUsd": 5}) for place in range(number + calls)
    )
    run.save_reply(1, ModelMessage("", wanted), TurnUsage())
    run.request["clientId"] = "laptop" if calls else None
    run.wait(
        approvals=[approval(run, place, **changes) for place in range(number)],
        calls=wanted[-1:] if calls else (),
        until=NEVER if calls else None,
        spent=TurnUsage(),
        result={**RESULT, "outcome": {"type": "interrupt"}},
    )
    return run


def ids(run: OpenRun, number: int = 1) -> list[str]:
    return [approval(run, place).id for place in range(number)]


def continuing(run: OpenRun, given: dict[str, ApprovalDecision], **more: Any) -> Continuation:
    fields = {"run_id": f"{run.run_id}~1", "request_digest": "", "decisions": given}
    return Continuation(**{**fields, **more})  # type: ignore[arg-type]


def go_on(
    run: OpenRun, given: dict[str, ApprovalDecision], **more: Any
) -> OpenRun | StillWaiting | str:
    return open_continuation(run.db, run.thread_id, run.run_id, continuing(run, given, **more))


# taken up


def test_a_run_is_taken_up_where_it_was_saved_last(db: Client) -> None:
    dead = opened(db, opening())
    dead.save_reply(1, ModelMessage("", (CALL, ToolCall("c2", "look", {}))), TurnUsage(7, 8, 9))
    dead.save_results({0: (FOUND, {})})
    end_lease(db, dead.thread_id, "r1")
    run = recover_run(db, dead.thread_id, "r1")
    assert run is not None
    assert (run.attempt, run.next_message, run.user) == (2, 2, User("ann"))
    assert isinstance(history_of(run)[-1], ModelMessage)  # one of its calls is not answered yet
    assert run.documents[-1]["results"]["0"]["content"] == FOUND.content


def test_a_run_whose_calls_are_all_answered_ends_with_their_results(db: Client) -> None:
    dead = opened(db, opening())
    dead.save_reply(1, ModelMessage("", (CALL,)), TurnUsage())
    dead.save_results({0: (FOUND, {})})
    end_lease(db, dead.thread_id, "r1")
    run = recover_run(db, dead.thread_id, "r1")
    assert run is not None
    assert isinstance(history_of(run)[-1], ToolMessage)


def test_only_what_was_left_lying_is_taken_up(db: Client) -> None:
    run = opened(db, opening())
    assert recover_run(db, run.thread_id, "r1") is None  # somebody is on it
    assert recover_run(db, run.thread_id, "nowhere") is None
    assert recover_run(db, "nowhere", "r1") is None
    answer(run, "Hi.")
    assert recover_run(db, run.thread_id, "r1") is None  # it is done


def test_of_many_at_once_one_takes_a_run_up(db: Client) -> None:
    dead = opened(db, opening())
    end_lease(db, dead.thread_id, "r1")
    taken = run_concurrently(8, lambda _: recover_run(db, dead.thread_id, "r1"))
    assert sum(isinstance(each, OpenRun) for each in taken) == 1
    assert (paths.run(db, dead.thread_id, "r1").get().to_dict() or {})["attempt"] == 2


SAVES: list[Callable[[OpenRun], None]] = [
    lambda run: run.save_reply(2, ModelMessage("late"), TurnUsage()),
    lambda run: run.save_results({0: (FOUND, {})}),
    lambda run: run.finish(step=2, answer=ModelMessage("late"), spent=TurnUsage(), result=RESULT),
    lambda run: run.wait(approvals=(approval(run),), spent=TurnUsage(), result=RESULT),
    lambda run: run.hand_over(),
]


def test_a_run_that_waits_writes_its_step_and_the_view_at_one_time(db: Client) -> None:
    """Even if the step costs what it cost when it was saved."""
    run = waiting(db)
    step = paths.message(db, run.thread_id, run.documents[-1]["n"]).get()
    view = paths.window(db, run.thread_id).get()
    assert step.get("spent") == to_builtins(TurnUsage())
    assert step.update_time == view.update_time


@pytest.mark.parametrize("save", SAVES)
@pytest.mark.parametrize("how", ["taken up", "superseded"])
def test_who_lost_a_run_can_save_nothing(
    db: Client, save: Callable[[OpenRun], None], how: str
) -> None:
    dead = opened(db, opening())
    dead.save_reply(1, ModelMessage("", (CALL,)), TurnUsage())
    if how == "taken up":
        end_lease(db, dead.thread_id, "r1")
        assert recover_run(db, dead.thread_id, "r1") is not None
    else:
        opened(db, opening("r2", is_new=False, supersede=True))
    before = update_times(db)
    dead.show({"type": "STEP_STARTED", "stepName": "late"})
    with pytest.raises(Aborted, match="taken this thread over"):
        save(dead)
    dead.fail({"code": "internal", "message": "too late"})
    assert update_times(db) == before
    assert dead.is_closed


def test_a_quiet_run_notices_that_it_was_taken_over(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rollcall.store import open_run

    monkeypatch.setattr(open_run, "LOOK_S", 0.0)
    first = opened(db, opening())
    first.tick()
    opened(db, opening("r2", is_new=False, supersede=True))
    with pytest.raises(Aborted):
        first.tick()


def test_an_answer_that_gets_lost_is_not_taken_for_a_lost_lease(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for how in ("before", "after", "twice"):
        run = opened(db, opening(f"run-{how}", thread_id=f"t-{how}"))
        for number, save in enumerate(SAVES[:3]):
            if number == 1:
                run.save_reply(1, ModelMessage("", (CALL,)), TurnUsage())
            with lose_commit(monkeypatch, 0, how):  # type: ignore[arg-type]
                save(run)
        log = paths.thread(db, run.thread_id).collection("messages").stream()
        assert [(each.to_dict() or {})["n"] for each in log] == [0, 1, 2, 3]
        assert (paths.run(db, run.thread_id, run.run_id).get().to_dict() or {})["status"] == "done"


# continued


def test_a_yes_opens_the_run_that_goes_on(db: Client) -> None:
    run = waiting(db)
    (id,) = ids(run)
    next_run = go_on(run, {id: YES}, user=User("ann"))
    assert isinstance(next_run, OpenRun)
    assert (next_run.run_id, next_run.turn_id) == ("r1~1", "r1")
    assert [each.status for each in next_run.approvals] == [ApprovalStatus.APPROVED]
    assert next_run.remembered == {"pay": RememberedApproval("digest", next_run.approvals[0].id)}
    assert isinstance(history_of(next_run)[-1], ModelMessage)
    thread = paths.thread(db, run.thread_id).get().to_dict() or {}
    assert (thread["waiting"], thread["lease"]["runId"]) == (None, "r1~1")
    assert (paths.run(db, run.thread_id, "r1").get().to_dict() or {})["continuedBy"] == "r1~1"


def test_of_many_at_once_one_goes_on_and_all_learn_which(db: Client) -> None:
    run = waiting(db)
    (id,) = ids(run)
    outcomes = run_concurrently(
        8, lambda n: go_on(run, {id: YES}, run_id=f"next-{n}", user=User("ann"))
    )
    (winner,) = [each for each in outcomes if isinstance(each, OpenRun)]
    assert {each for each in outcomes if isinstance(each, str)} <= {winner.run_id}
    assert all(isinstance(each, OpenRun | str | Aborted) for each in outcomes)


def test_a_no_that_comes_while_somebody_says_yes_is_told_so(db: Client) -> None:
    run = waiting(db)
    (id,) = ids(run)
    paths.approval(db, id).update({"decision": YES.fields()})
    with pytest.raises(FailedPrecondition, match="decided differently"):
        go_on(run, {id: NO})
    assert isinstance(go_on(run, {}), OpenRun)


def test_changed_arguments_are_not_passed_over_when_somebody_said_yes_meanwhile(
    db: Client,
) -> None:
    run = waiting(db)
    (id,) = ids(run)
    (old,) = load_approvals(db, [id])
    other = old.edited(Card({"amountUsd": 3}, {}, "", None), by=User("ann"), now=YES.at)
    paths.approval(db, id).update({"decision": YES.fields()})
    with pytest.raises(FailedPrecondition, match="decided differently"):
        go_on(run, {id: YES}, edits={id: other})


def test_what_is_still_open_is_named_and_nothing_is_written(db: Client) -> None:
    run = waiting(db, 2, calls=True)
    first, second = ids(run, 2)
    before = update_times(db)
    found = go_on(run, {first: YES})
    assert isinstance(found, StillWaiting)
    assert ([each.id for each in found.approvals], found.calls) == ([second], ("c3",))
    assert update_times(db) == before


def test_the_clients_answers_are_kept_with_the_run(db: Client) -> None:
    run = waiting(db, 1, calls=True)
    (id,) = ids(run)
    results = {"c2": {"content": {"grid": [[1]]}}}
    next_run = go_on(run, {id: YES}, results=results)
    assert isinstance(next_run, OpenRun)
    assert next_run.answers == results
    end_lease(db, run.thread_id, "r1~1")
    again = recover_run(db, run.thread_id, "r1~1")
    assert again is not None
    assert (again.answers, [each.id for each in again.approvals]) == (results, [id])


def test_what_expired_goes_on_as_expired(db: Client) -> None:
    run = waiting(db, 2, expires_at=datetime.now(UTC))
    next_run = go_on(run, {})
    assert isinstance(next_run, OpenRun)
    assert {each.status for each in next_run.approvals} == {ApprovalStatus.EXPIRED}
    assert next_run.remembered == {}


@pytest.mark.parametrize("run_id", ["nowhere", "r0"])
def test_a_run_that_waits_for_nothing_is_not_continued(db: Client, run_id: str) -> None:
    run = waiting(db)
    with pytest.raises(FailedPrecondition, match="nothing in this thread waits"):
        open_continuation(db, run.thread_id, run_id, continuing(run, {}, run_id=f"{run_id}~1"))


def test_an_opening_whose_answer_was_lost_is_opened_once(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = waiting(db)
    (id,) = ids(run)
    with lose_commit(monkeypatch, 0, "twice"):
        next_run = go_on(run, {id: YES})
    assert isinstance(next_run, OpenRun)
    answer(next_run, "Paid.")


def test_what_is_settled_is_noted_while_others_are_open(db: Client) -> None:
    run = waiting(db, 2)
    first, second = ids(run, 2)
    paths.approval(db, first).update({"decision": NO.fields()})
    mark_settled(db, load_approvals(db, [first, second]))
    assert [each.status for each in load_approvals(db, [first, second])] == [
        ApprovalStatus.REJECTED,
        ApprovalStatus.PENDING,
    ]
    paths.approval(db, second).update({"decision": YES.fields()})
    next_run = go_on(run, {})
    assert isinstance(next_run, OpenRun)
    assert [each.status for each in next_run.approvals] == [
        ApprovalStatus.REJECTED,
        ApprovalStatus.APPROVED,
    ]


def test_decisions_are_noted_all_or_none(db: Client) -> None:
    run = waiting(db, 2)
    first, second = ids(run, 2)
    looked_at = load_approvals(db, [first, second])
    paths.approval(db, second).update({"decision": NO.fields()})
    with pytest.raises(Aborted, match="decided in the meantime"):
        write_decisions(db, looked_at, {first: YES, second: YES})
    assert [each.decision for each in load_approvals(db, [first])] == [None]
