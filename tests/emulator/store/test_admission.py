"""Admission: how often a user may start a run, and how many at once, counted in the write of the
day that opens it."""

from __future__ import annotations

import random
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.api_core.exceptions import Conflict, FailedPrecondition
from google.cloud.firestore import Client

from rollcall.core.context import User
from rollcall.core.errors import ResourceExhausted
from rollcall.store.admission import LOOK_AT, Admission, TooManyRuns
from rollcall.store.batches import read_all
from rollcall.store.budgets import UserLimits, forget_limits, limits
from rollcall.store.paths import user_day
from tests.support.firestore_operations import count_operations

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 22, tzinfo=UTC)


def opening(
    db: Client,
    *,
    now: datetime = NOON,
    most: int | None = 10,
    uid: str = "ann",
    at_once: int | None = None,
    **more: Any,
) -> Admission:
    own = UserLimits(runs_per_minute=most, runs_at_once=at_once)
    return Admission(db, uid, now, own, **more)


def start(db: Client, *, run: str = "", key: str | None = None, **where: Any) -> None:
    """Open one run, as an opening does: read, add to the batch, commit."""
    admission = opening(db, **where)
    admission.snapshots = read_all(db, *admission.references)
    batch = db.batch()
    admission.admit(batch, run or f"threads/{uuid.uuid4().hex}/runs/r", key)
    batch.commit()
    admission.admitted()


def starts(db: Client, count: int, **where: Any) -> int:
    """Try `count` times; how many were let in."""
    done = 0
    for _ in range(count):
        try:
            start(db, **where)
        except ResourceExhausted:
            continue
        done += 1
    return done


def insist(db: Client, **where: Any) -> bool:
    """Try until it is let in or refused; whether it was let in."""
    for _ in range(200):
        try:
            start(db, **where)
        except ResourceExhausted:
            return False
        except (Conflict, FailedPrecondition):
            time.sleep(random.uniform(0, 0.03))
            continue
        return True
    raise AssertionError("every race was lost")


@pytest.mark.parametrize("most", [0, 1, 2, 3, 10, 30])
def test_exactly_as_many_runs_start_in_a_minute_as_are_allowed(db: Client, most: int) -> None:
    assert starts(db, most + 5, most=most) == most


def test_the_minute_slides(db: Client) -> None:
    assert starts(db, 12) == 10
    assert starts(db, 1, now=NOON + timedelta(seconds=59)) == 0
    assert starts(db, 12, now=NOON + timedelta(seconds=60)) == 10


def test_a_refusal_says_when_to_try_again(db: Client) -> None:
    starts(db, 10)
    with pytest.raises(ResourceExhausted, match="at most 10 messages a minute") as refused:
        start(db, now=NOON + timedelta(seconds=20))
    assert refused.value.retry_after_s == 40


def test_one_users_haste_is_not_anothers(db: Client) -> None:
    starts(db, 10, uid="a/b ☃")
    assert starts(db, 10, uid="bob") == 10


def test_without_a_limit_everybody_is_let_in_and_remembered(db: Client) -> None:
    assert starts(db, 20, most=None) == 20
    assert starts(db, 1) == 0


def test_a_start_costs_one_read_and_one_write(db: Client) -> None:
    starts(db, 3)
    with count_operations() as cost:
        start(db)
    assert (cost.reads, cost.writes) == (1, 1)


def test_starts_at_once_are_no_more_than_allowed(db: Client) -> None:
    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(lambda _: insist(db), range(24))) == 10


def test_the_minute_slides_over_midnight(db: Client) -> None:
    assert starts(db, 12, now=MIDNIGHT - timedelta(seconds=20)) == 10
    assert starts(db, 1, now=MIDNIGHT + timedelta(seconds=39)) == 0
    assert starts(db, 12, now=MIDNIGHT + timedelta(seconds=40)) == 10


def test_only_in_the_first_minutes_of_a_day_yesterday_is_read_and_written(db: Client) -> None:
    with count_operations() as cost:
        start(db, now=MIDNIGHT + timedelta(seconds=239))
    assert (cost.reads, cost.writes) == (2, 2)
    with count_operations() as cost:
        start(db, now=MIDNIGHT + timedelta(seconds=241))
    assert (cost.reads, cost.writes) == (1, 1)


def test_whose_clock_is_late_is_counted_with_the_others(db: Client) -> None:
    assert starts(db, 10, now=MIDNIGHT + timedelta(seconds=1)) == 10
    assert starts(db, 1, now=MIDNIGHT - timedelta(seconds=1)) == 0


def test_starts_at_once_around_midnight_are_no_more_than_allowed(db: Client) -> None:
    def at(number: int) -> bool:
        return insist(db, now=MIDNIGHT + timedelta(milliseconds=(-1) ** number * 500))

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(at, range(24))) == 10


def was_started(db: Client, key: str, now: datetime) -> bool:
    admission = opening(db, now=now)
    admission.snapshots = read_all(db, *admission.references)
    return admission.was_started(key)


def test_a_start_is_known_by_its_key_also_over_midnight(db: Client) -> None:
    start(db, key="mine", now=MIDNIGHT - timedelta(seconds=1))
    assert was_started(db, "mine", MIDNIGHT - timedelta(seconds=1))
    assert was_started(db, "mine", MIDNIGHT + timedelta(seconds=58))
    assert not was_started(db, "mine", MIDNIGHT + timedelta(minutes=5))
    assert not was_started(db, "other", MIDNIGHT + timedelta(seconds=1))


@pytest.mark.parametrize("at", [NOON, MIDNIGHT - timedelta(seconds=1), MIDNIGHT])
@pytest.mark.parametrize("ahead_s", [-120, 61, 120])
def test_a_start_is_known_by_its_key_to_whose_clock_differs(
    db: Client, at: datetime, ahead_s: int
) -> None:
    """Also when others with such a clock have opened in between."""
    start(db, key="mine", now=at)
    start(db, now=at + timedelta(seconds=120))
    assert was_started(db, "mine", at + timedelta(seconds=ahead_s))
    start(db, now=at + timedelta(seconds=300))
    assert not was_started(db, "mine", at + timedelta(seconds=300))


def test_a_run_that_goes_on_with_a_turn_is_remembered_and_not_counted(db: Client) -> None:
    assert starts(db, 20, counts=False, key="on") == 20
    assert was_started(db, "on", NOON)
    assert starts(db, 12) == 10


def write_run(db: Client, thread: str, *, status: str = "running", alive: bool = True) -> str:
    """A run's document."""
    path = f"threads/{thread}/runs/r"
    until = datetime.now(UTC) + timedelta(minutes=1 if alive else -1)
    db.document(path).set({"uid": "ann", "status": status, "leaseUntil": until})
    return path


def test_beyond_the_runs_at_once_one_more_is_refused_with_their_names(db: Client) -> None:
    for number in range(3):
        start(db, run=write_run(db, f"t{number}"), at_once=3)
    with pytest.raises(TooManyRuns, match="at most 3") as refused:
        start(db, at_once=3)
    assert refused.value.details == {
        "code": "resource-exhausted",
        "hint": "wait until one of details.running has ended",
        "retryAfterS": 2,
        "running": [{"threadId": f"t{number}", "runId": "r"} for number in range(3)],
    }
    assert insist(db, at_once=4)


def test_where_none_may_be_under_way_none_is_opened(db: Client) -> None:
    db.document("budgets/limits").set({"users": {"ann": {"runsAtOnce": 0}}})
    forget_limits()
    own = limits(db).of_user(User("ann")).runs_at_once
    with pytest.raises(TooManyRuns, match="at most 0") as refused:
        start(db, at_once=own)
    assert "retryAfterS" not in refused.value.details
    start(db, at_once=own, counts=False)  # it continues a turn


@pytest.mark.parametrize("change", [{"status": "done"}, {"alive": False}])
def test_runs_that_are_over_make_room(db: Client, change: Any) -> None:
    for number in range(3):
        start(db, run=write_run(db, f"t{number}"), at_once=3)
    write_run(db, "t1", **change)
    assert insist(db, at_once=3)


def test_a_run_takes_the_place_of_the_one_before_in_its_thread(db: Client) -> None:
    for number in range(3):
        start(db, run=write_run(db, f"t{number}"), at_once=3)
    with count_operations() as cost:
        start(db, run="threads/t1/runs/r2", at_once=3)
    assert (cost.reads, cost.writes) == (1, 1)


def test_one_that_continues_a_turn_is_let_in_and_counted_for_others(db: Client) -> None:
    for number in range(4):
        start(db, run=write_run(db, f"t{number}"), at_once=2, counts=False)
    assert not insist(db, at_once=4)


def test_runs_at_once_are_counted_over_midnight(db: Client) -> None:
    for number in range(3):
        start(db, run=write_run(db, f"t{number}"), now=MIDNIGHT - timedelta(seconds=9), at_once=3)
    assert not insist(db, now=MIDNIGHT + timedelta(seconds=9), at_once=3)


def test_openings_at_once_are_no_more_than_may_be_under_way(db: Client) -> None:
    paths = [write_run(db, f"t{number}") for number in range(24)]
    with ThreadPoolExecutor(16) as pool:
        admitted = pool.map(lambda path: insist(db, run=path, at_once=8, most=None), paths)
        assert sum(admitted) == 8


def test_without_a_limit_a_day_does_not_grow_without_end(db: Client) -> None:
    for _ in range(LOOK_AT + 5):
        start(db, most=None)
    day = user_day(db, "ann", NOON.date()).get().to_dict() or {}
    assert len(day["reservations"]) <= LOOK_AT
