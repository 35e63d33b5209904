"""What a budget allows before it reads a database."""

from __future__ import annotations

from datetime import date
from typing import Any, cast

import pytest

from rollcall.agent.budget import UserBudget
from rollcall.agent.prices import Price, policy_price, read_prices
from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition
from rollcall.models.base import Usage
from rollcall.store.budgets import Amount

DAY = date(2026, 11, 21)
LOCAL = "openai:local"
OWN = {"prices": [{"models": [LOCAL], "input": 1, "output": 2}]}

NO_DATABASE = cast(Any, None)


def price(model_id: str = LOCAL, *, own: Any = None, allow_unpriced: bool = False) -> Price | None:
    prices = read_prices(own)
    return policy_price(model_id, on=DAY, own=prices, allow_unpriced=allow_unpriced)


@pytest.fixture(autouse=True)
def no_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROLLCALL_ALLOW_UNPRICED", raising=False)


def test_a_model_without_a_price_is_not_used() -> None:
    with pytest.raises(FailedPrecondition, match="openai:local") as refused:
        price()
    assert "allowUnpriced" in str(refused.value.hint)


def test_it_is_where_its_agent_may_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    assert price(allow_unpriced=True) is None
    monkeypatch.setenv("ROLLCALL_ALLOW_UNPRICED", "true")
    assert price() is None
    monkeypatch.setenv("ROLLCALL_ALLOW_UNPRICED", "1")
    with pytest.raises(FailedPrecondition):
        price()


def test_an_operators_price_is_one() -> None:
    found = price(own=OWN)
    assert found and found.micro_usd(Usage(input_tokens=10, output_tokens=10)) == 30
    with pytest.raises(FailedPrecondition):
        price("openai:other", own=OWN)


def test_a_free_model_costs_nothing_and_asks_no_database() -> None:
    budget = UserBudget(NO_DATABASE, User("ann"))
    reservation = budget.reserve("offline:planner", input_tokens=10, output_tokens=5)
    assert reservation.amount == Amount(0, 15)
    assert budget.settle(reservation, Usage(10, 0, 5)) == 0.0
    budget.close()
