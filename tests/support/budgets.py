"""Budgets at noon of one day, and calls of one size that they pay for."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from google.cloud.firestore import Client

from rollcall.agent.budget import UserBudget
from rollcall.core.context import User
from rollcall.models.base import Usage
from rollcall.store import budgets, paths
from tests.support.spender import INPUT, MODEL, OUTPUT, WORST

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = NOON.date()
ANN = User("ann")
USED = Usage(input_tokens=INPUT, output_tokens=100)  # $0.005 + $0.003
COST = 8_000


class Clock:
    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def allow(db: Client, **document: Any) -> None:
    db.document("budgets/limits").set(document)
    budgets.forget_limits()


def budget_of(db: Client, user: User = ANN, clock: Clock | None = None) -> UserBudget:
    return UserBudget(db, user, now=clock or Clock())


def call(budget: UserBudget, usage: Usage | None = USED) -> float | None:
    reservation = budget.reserve(MODEL, input_tokens=INPUT, output_tokens=OUTPUT)
    assert reservation.micro_usd == WORST
    return budget.settle(reservation, usage)


def day_of(db: Client, user: User = ANN, day: date = TODAY) -> budgets.Day:
    return budgets.Day.of(paths.user_day(db, user.uid, day).get().to_dict(), day)
