"""`my_usage`: reports what a user has spent, and what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from rollcall.core.context import Call, Platform, User
from rollcall.core.inputs import validate
from rollcall.core.shapes import Wire
from rollcall.core.triggers import OnCall, bound
from rollcall.store.budgets import NONE, Day, UserLimits, limits, read_days

DAYS = 30


class ModelSpend(Wire, extra="ignore"):  # more counts are stored
    """Cost of one model. `usd` leaves out calls without a known price."""

    model: str
    calls: int
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    usd: float
    unpriced_calls: int


class Spent(Wire):
    """Spend over some days.

    `usd` and `tokens` are what budgets count. That includes calls that broke off or were cancelled,
    with all output that they might have had, and calls of processes that died, at their worst case.
    """

    usd: float
    tokens: int
    models: list[ModelSpend]


class Remainder(Wire):
    """What may still be spent today, without the reservations of runs under way; absent without a
    limit. The tenant's budget may run out earlier."""

    usd: float | None = None
    tokens: int | None = None


class UsageReport(Wire):
    """The result of `my_usage`. Days are UTC days."""

    day: date
    today: Spent
    last_30_days: Spent
    limits: UserLimits
    left: Remainder
    renews_at: datetime


@bound(OnCall())
def my_usage(platform: Platform, call: Call) -> dict[str, Any]:
    """Return what the user spent today and in the last 30 days, the limits, and what is left."""
    validate(Wire, {} if call.data is None else call.data)  # nothing: the token names the user
    return report(platform, call.user, now=datetime.now(UTC)).dump()


def report(platform: Platform, user: User, *, now: datetime) -> UsageReport:
    """Return the user's usage at a time."""
    today = now.astimezone(UTC).date()
    since = today - timedelta(days=DAYS - 1)
    days = read_days(platform.db, user.uid, since=since, until=today, now=now)
    current = next((day for day in days if day.day == today), Day(user.uid, today))
    own = limits(platform.db).of_user(user)
    usd, tokens, used = own.micro_usd, own.tokens_per_day, current.used
    return UsageReport(
        day=today,
        today=_spent([current]),
        last_30_days=_spent(days),
        limits=own,
        left=Remainder(
            usd=None if usd is None else max(0, usd - used.micro_usd) / 1_000_000,
            tokens=None if tokens is None else max(0, tokens - used.tokens),
        ),
        renews_at=datetime.combine(today + timedelta(days=1), datetime.min.time(), UTC),
    )


def _spent(days: Iterable[Day]) -> Spent:
    total = NONE
    models: dict[str, Counter[str]] = {}
    for day in days:
        total += day.spent
        for model, numbers in day.models.items():
            models.setdefault(model, Counter()).update(numbers)
    return Spent(
        usd=total.micro_usd / 1_000_000,
        tokens=total.tokens,
        models=[
            ModelSpend(model=model, usd=sums.pop("microUsd") / 1_000_000, **sums)
            for model, sums in sorted(models.items())
        ],
    )
