"""Limits as documents: read seldom, and changed without a deployment."""

from __future__ import annotations

from google.cloud.firestore import Client

from rollcall.core.context import User
from rollcall.store import budgets
from tests.support.firestore_operations import count_operations


def test_limits_are_read_once_a_minute_and_then_from_memory(db: Client) -> None:
    with count_operations() as cost:
        for _ in range(3):
            assert budgets.limits(db).of_user(User("ann")).usd_per_day == 2.0
    assert cost.reads == 2
    db.document("budgets/limits").set({"users": {"ann": {"usdPerDay": 7}}})
    assert budgets.limits(db).of_user(User("ann")).usd_per_day == 2.0
    budgets.forget_limits()
    assert budgets.limits(db).of_user(User("ann")).usd_per_day == 7
