"""`my_usage` on the emulator: a user's own spending, and nobody else's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from google.cloud.firestore import Client

from rollcall.agent.budget import UserBudget
from rollcall.core.context import Call, Platform, User
from rollcall.core.errors import InvalidArgument
from rollcall.endpoints.usage import my_usage, report
from rollcall.models.base import Usage
from rollcall.store import budgets
from tests.support.firestore_operations import count_operations

ANN = User("ann")
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def platform(db: Client) -> Platform:
    return cast(Platform, SimpleNamespace(db=db))


def spend(db: Client, user: User = ANN, *, days_ago: int = 0) -> None:
    """One call of $0.005 + $0.003, 1,100 tokens."""
    budget = UserBudget(db, user, now=lambda: NOON - timedelta(days=days_ago))
    reservation = budget.reserve("openai:gpt-5.5", input_tokens=1_000, output_tokens=1_000)
    budget.settle(reservation, Usage(1_000, 0, 100))
    budget.close()


def usage(db: Client, user: User = ANN) -> dict[str, Any]:
    return report(platform(db), user, now=NOON).dump()


def test_today_and_the_last_30_days_are_told_by_model(db: Client) -> None:
    for days_ago in (0, 0, 1, 29, 30):
        spend(db, days_ago=days_ago)
    found = usage(db)
    assert (found["today"]["usd"], found["today"]["tokens"]) == (0.016, 2_200)
    assert found["last30Days"]["models"] == [
        {
            "model": "openai:gpt-5.5",
            "calls": 4,
            "inputTokens": 4_000,
            "cachedInputTokens": 0,
            "outputTokens": 400,
            "usd": 0.032,
            "unpricedCalls": 0,
        }
    ]


def test_limits_and_what_is_left_and_when_it_renews_are_told(db: Client) -> None:
    spend(db)
    found = usage(db)
    assert found["limits"] == {
        "usdPerDay": 2.0,
        "tokensPerDay": 2_000_000,
        "runsPerMinute": 300,
        "runsAtOnce": 8,
    }
    assert found["left"] == {"usd": 1.992, "tokens": 1_998_900}
    assert (found["day"], found["renewsAt"]) == ("2026-11-21", "2026-11-22T00:00:00Z")


def test_what_has_no_limit_has_nothing_left_to_tell(db: Client) -> None:
    db.document("budgets/limits").set({"user": {"usdPerDay": None}})
    budgets.forget_limits()
    assert "usd" not in usage(db)["left"] and "usdPerDay" not in usage(db)["limits"]


def test_nobody_sees_what_others_spent(db: Client) -> None:
    for uid in ("ann2", "anna", "bob"):
        spend(db, User(uid))
    found = usage(db)
    assert found["last30Days"] == {"usd": 0.0, "tokens": 0, "models": []}


def test_a_month_without_spend_costs_one_read(db: Client) -> None:
    budgets.limits(db)
    with count_operations() as cost:
        usage(db)
    assert (cost.reads, cost.writes) == (1, 0)


def test_whose_usage_it_is_says_the_token_alone(db: Client) -> None:
    with pytest.raises(InvalidArgument, match="uid"):
        my_usage(platform(db), Call(ANN, {"uid": "bob"}))
    assert my_usage(platform(db), Call(ANN, None))["today"]["usd"] == 0.0
