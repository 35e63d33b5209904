"""When a run needs another slice, and when its last one is settled already."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

import pytest

from rollcall.agent.budget import CALL_TIME, Budget, RunSlice, SpendingTerms, UserBudget
from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition
from rollcall.models.base import Usage
from rollcall.store.budgets import DayReservation, Spend
from rollcall.store.limits import Amount, Limit, Limits

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HALF = Amount(50, 500)
WHOLE = Amount(100, 1_000)
MONEY = Limit(10_000, None)
BOTH = Limit(10_000, 10_000)

DAY = date(2026, 11, 21)
LOCAL = "openai:local"
OWN = {"prices": [{"models": [LOCAL], "input": 1, "output": 2}]}

NO_DATABASE = cast(Any, None)


def terms(user: Limit = BOTH, tenant: Limit | None = None) -> SpendingTerms:
    return SpendingTerms(Limits(), user, tenant or Limit(), (), allow_unpriced=False)


def lease(*, ends_in: timedelta = timedelta(minutes=10)) -> RunSlice:
    return RunSlice(NOW.date(), written=DayReservation(WHOLE, NOW + ends_in))


def test_a_slice_serves_for_as_many_calls_as_fit_into_it() -> None:
    of = lease()
    assert of.covers(WHOLE, terms(), now=NOW)
    of.spends.append(Spend("openai:local", HALF))
    assert of.covers(HALF, terms(), now=NOW)
    of.outstanding += Amount(1, 0)
    assert not of.covers(HALF, terms(), now=NOW)


def test_without_a_slice_nothing_is_covered() -> None:
    assert not RunSlice(NOW.date()).covers(Amount(), terms(Limit()), now=NOW)


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
    assert not RunSlice(NOW.date()).is_settled({"slices": {}, "lost": {}})


def priced_terms(
    *, prices: dict[str, Any] | None = None, allow_unpriced: bool = False
) -> SpendingTerms:
    return SpendingTerms.of(Limits(prices=prices or {}), User("ann"), allow_unpriced=allow_unpriced)


@pytest.fixture(autouse=True)
def no_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROLLCALL_ALLOW_UNPRICED", raising=False)


def test_a_model_without_a_price_is_not_used() -> None:
    with pytest.raises(FailedPrecondition, match="openai:local") as refused:
        priced_terms().price(LOCAL, on=DAY)
    assert "allowUnpriced" in str(refused.value.hint)


def test_it_is_where_its_agent_may_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    assert priced_terms(allow_unpriced=True).price(LOCAL, on=DAY) is None
    monkeypatch.setenv("ROLLCALL_ALLOW_UNPRICED", "true")
    assert priced_terms().price(LOCAL, on=DAY) is None
    monkeypatch.setenv("ROLLCALL_ALLOW_UNPRICED", "1")
    with pytest.raises(FailedPrecondition):
        priced_terms().price(LOCAL, on=DAY)


def test_an_operators_price_is_one() -> None:
    price = priced_terms(prices=OWN).price(LOCAL, on=DAY)
    assert price and price.micro_usd(Usage(input_tokens=10, output_tokens=10)) == 30
    assert priced_terms(prices=OWN).find_price("openai:other", on=DAY) is None


def test_a_free_model_costs_nothing_and_asks_no_database() -> None:
    budget = UserBudget(NO_DATABASE, User("ann"))
    reservation = budget.reserve("offline:planner", input_tokens=10, output_tokens=5)
    assert (reservation.tokens, reservation.micro_usd) == (15, 0)
    assert budget.settle(reservation, Usage(10, 0, 5)) == 0.0
    budget.close()


def test_it_is_a_budget_as_the_loop_knows_it() -> None:
    budget: Budget = UserBudget(NO_DATABASE, User("ann"))
    assert callable(budget.reserve) and callable(budget.settle)
