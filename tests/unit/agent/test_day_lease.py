"""When a run needs another slice, and when its last one is settled already."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rollcall.agent.day_lease import CALL_TIME, DayLease
from rollcall.agent.terms import Terms
from rollcall.store.budgets import Slice, Spend
from rollcall.store.limits import Amount, Limit, Limits

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HALF = Amount(50, 500)
WHOLE = Amount(100, 1_000)
MONEY = Limit(10_000, None)
BOTH = Limit(10_000, 10_000)


def terms(user: Limit = BOTH, tenant: Limit | None = None) -> Terms:
    return Terms(Limits(), user, tenant or Limit(), (), allow_unpriced=False)


def lease(*, ends_in: timedelta = timedelta(minutes=10)) -> DayLease:
    return DayLease(NOW.date(), written=Slice(WHOLE, NOW + ends_in))


def test_a_slice_serves_for_as_many_calls_as_fit_into_it() -> None:
    of = lease()
    assert of.covers(WHOLE, terms(), now=NOW)
    of.spends.append(Spend("openai:local", HALF))
    assert of.covers(HALF, terms(), now=NOW)
    of.outstanding += Amount(1, 0)
    assert not of.covers(HALF, terms(), now=NOW)


def test_without_a_slice_nothing_is_covered() -> None:
    assert not DayLease(NOW.date()).covers(Amount(), terms(Limit()), now=NOW)


def test_a_slice_that_ends_before_a_call_may_covers_none() -> None:
    assert lease(ends_in=CALL_TIME).covers(HALF, terms(), now=NOW)
    assert not lease(ends_in=CALL_TIME - timedelta(seconds=1)).covers(HALF, terms(), now=NOW)


def test_what_nobody_limits_is_not_asked_of_the_slice() -> None:
    many = Amount(50, 1_000_000)
    assert lease().covers(many, terms(MONEY), now=NOW)
    assert not lease().covers(many, terms(BOTH), now=NOW)


def test_a_slice_of_which_nothing_is_the_tenants_covers_nothing_once_that_is_limited() -> None:
    assert not lease().covers(HALF, terms(MONEY, MONEY), now=NOW)


@pytest.mark.parametrize("place", ["slices", "lost"])
def test_a_slice_is_settled_once_the_day_has_it_no_more(place: str) -> None:
    of = lease()
    day: dict[str, Any] = {"slices": {}, "lost": {}}
    assert of.is_settled(day)
    assert not of.is_settled({**day, place: {of.id: {}}})


def test_of_a_day_that_is_gone_and_of_a_slice_never_written_nothing_is_settled() -> None:
    assert not lease().is_settled(None)
    assert not DayLease(NOW.date()).is_settled({"slices": {}, "lost": {}})
