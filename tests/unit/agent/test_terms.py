"""Which models a user may spend on, and at which price."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from rollcall.agent.terms import Terms
from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition
from rollcall.models.base import Usage
from rollcall.store.limits import Limits

DAY = date(2026, 11, 21)
LOCAL = "openai:local"
OWN = {"prices": [{"models": [LOCAL], "input": 1, "output": 2}]}


def terms(*, prices: dict[str, Any] | None = None, allow_unpriced: bool = False) -> Terms:
    return Terms.of(Limits(prices=prices or {}), User("ann"), allow_unpriced=allow_unpriced)


@pytest.fixture(autouse=True)
def no_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROLLCALL_ALLOW_UNPRICED", raising=False)


def test_a_model_without_a_price_is_not_used() -> None:
    with pytest.raises(FailedPrecondition, match="openai:local") as refused:
        terms().price(LOCAL, on=DAY)
    assert "allowUnpriced" in str(refused.value.hint)


def test_it_is_where_its_agent_may_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    assert terms(allow_unpriced=True).price(LOCAL, on=DAY) is None
    monkeypatch.setenv("ROLLCALL_ALLOW_UNPRICED", "true")
    assert terms().price(LOCAL, on=DAY) is None
    monkeypatch.setenv("ROLLCALL_ALLOW_UNPRICED", "1")
    with pytest.raises(FailedPrecondition):
        terms().price(LOCAL, on=DAY)


def test_an_operators_price_is_one() -> None:
    price = terms(prices=OWN).price(LOCAL, on=DAY)
    assert price and price.micro_usd(Usage(input_tokens=10, output_tokens=10)) == 30
    assert terms(prices=OWN).find_price("openai:other", on=DAY) is None
