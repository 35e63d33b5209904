"""How often a user may start a run, counted in the batch that opens it; and limits as data."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.api_core.exceptions import Conflict, FailedPrecondition
from google.cloud.firestore import Client

from rollcall.core.context import User
from rollcall.core.errors import ResourceExhausted
from rollcall.store import limits
from rollcall.store.limits import UserLimits
from rollcall.store.rates import admit, rate_reference
from tests.support.counting import counted

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TEN = UserLimits(runs_per_minute=10)


def start(db: Client, *, now: datetime = NOON, own: UserLimits = TEN, uid: str = "ann") -> None:
    """Open one run, as an opening does: read, add to the batch, commit."""
    [snapshot] = db.get_all([rate_reference(db, uid)])
    batch = db.batch()
    admit(batch, db, snapshot, uid=uid, limits=own, now=now)
    batch.commit()


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


@pytest.mark.parametrize("most", [0, 1, 2, 3, 10, 30])
def test_exactly_as_many_runs_start_in_a_minute_as_are_allowed(db: Client, most: int) -> None:
    assert starts(db, most + 5, own=UserLimits(runs_per_minute=most)) == most


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


def test_without_a_limit_nothing_is_written(db: Client) -> None:
    batch = db.batch()
    snapshot = rate_reference(db, "ann").get()
    admit(batch, db, snapshot, uid="ann", limits=UserLimits(runs_per_minute=None), now=NOON)
    assert len(batch) == 0


def test_a_start_costs_one_read_and_one_write(db: Client) -> None:
    starts(db, 3)
    with counted() as cost:
        start(db, own=UserLimits(runs_per_minute=1_000))
    assert (cost.reads, cost.writes) == (1, 1)


def test_starts_at_once_are_no_more_than_allowed(db: Client) -> None:
    def insist(_: int) -> bool:
        for _ in range(40):
            try:
                start(db)
            except ResourceExhausted:
                return False
            except (Conflict, FailedPrecondition):
                time.sleep(random.uniform(0, 0.03))
                continue
            return True
        raise AssertionError("every race was lost")

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(insist, range(24))) == 10


def test_limits_are_read_once_a_minute_and_then_from_memory(db: Client) -> None:
    with counted() as cost:
        for _ in range(3):
            assert limits.limits(db).of_user(User("ann")).usd_per_day == 2.0
    assert cost.reads == 2
    db.document("budgets/limits").set({"users": {"ann": {"usdPerDay": 7}}})
    assert limits.limits(db).of_user(User("ann")).usd_per_day == 2.0
    limits.forget()
    assert limits.limits(db).of_user(User("ann")).usd_per_day == 7
