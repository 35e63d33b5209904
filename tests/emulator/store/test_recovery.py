"""What the sweep finds: each turn whose process died, once, and no other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from google.cloud.firestore import DELETE_FIELD, Client

from rollcall.store import paths, recovery
from rollcall.store.open_run import OpenRun
from rollcall.store.recovery import find_unfinished, recover_run
from tests.emulator.store.test_continuations import NO, YES, ids, waiting
from tests.emulator.store.test_run_opening import answer, opened, opening
from tests.support.run_times import end_lease

GRACE = timedelta(seconds=10)


def unfinished(db: Client, *, later: timedelta = timedelta(0)) -> list[tuple[str, str]]:
    return list(find_unfinished(db, now=datetime.now(UTC) + later, grace=GRACE))


def key(run: OpenRun) -> tuple[str, str]:
    return run.thread_id, run.run_id


def test_a_living_run_a_waiting_one_and_one_that_is_done_are_left_alone(db: Client) -> None:
    answer(opened(db, opening("done", thread_id="t-done")), "Hi.")
    opened(db, opening("alive", thread_id="t-alive"))
    waiting(db, 2, calls=True)
    assert unfinished(db) == []


def test_a_run_whose_process_died_is_found(db: Client) -> None:
    run = opened(db, opening())
    end_lease(db, run.thread_id, "r1")
    assert unfinished(db) == [key(run)]


def test_a_run_of_an_earlier_build_goes_on(db: Client) -> None:
    run = opened(db, opening())
    end_lease(db, run.thread_id, "r1")
    paths.run(db, run.thread_id, "r1").update({"reached": DELETE_FIELD})
    recovered = recover_run(db, *key(run))
    assert recovered is not None
    answer(recovered, "Hi.")
    assert unfinished(db) == []


def test_a_run_that_was_handed_over_is_found_should_the_queue_have_lost_it(db: Client) -> None:
    run = opened(db, opening())
    run.hand_over()
    assert unfinished(db) == [key(run)]


@pytest.mark.parametrize("given", [YES, NO])
def test_a_decision_is_found_when_its_trigger_must_have_been_missed(
    db: Client, given: object
) -> None:
    run = waiting(db)
    now = datetime.now(UTC)
    decision = {**given.fields(), "at": now}  # type: ignore[attr-defined]
    paths.approval(db, ids(run)[0]).update({"decision": decision})
    assert unfinished(db) == []
    assert unfinished(db, later=GRACE) == [key(run)]


def test_a_question_whose_time_is_over_is_found_once_however_many_there_are(db: Client) -> None:
    run = waiting(db, 3, expires_at=datetime.now(UTC))
    assert unfinished(db) == [key(run)]


def test_a_client_that_is_late_is_found(db: Client) -> None:
    run = waiting(db, 0, calls=True)
    assert unfinished(db) == []
    assert unfinished(db, later=timedelta(days=1, minutes=1)) == [key(run)]


def test_one_sweep_is_bounded(db: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "AT_ONCE", 2)
    for number in range(4):
        run = opened(db, opening(f"r{number}", thread_id=f"t{number}"))
        end_lease(db, run.thread_id, run.run_id)
    assert len(unfinished(db)) == 2
