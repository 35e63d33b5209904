"""What one run has of its user's day: the slice it spends from, and what it has spent of it."""

from __future__ import annotations

import uuid
from datetime import date, datetime, timedelta
from typing import Any

from msgspec import Struct, field

from rollcall.agent.terms import Terms
from rollcall.store.budgets import Known, Slice, Spend
from rollcall.store.limits import NONE, Amount, Limit
from rollcall.store.tenant_budgets import Draw

CALL_TIME = timedelta(minutes=3)
"""A call may take so long; a slice whose time ends sooner is renewed before."""


def new_slice_id() -> str:
    """Also a name of a field: it begins with a letter."""
    return f"s{uuid.uuid4().hex[:15]}"


class DayLease(Struct):
    """What a run has of a day. `written` and `known` are as Firestore has them.

    Attributes:
        id: The slice's. Each slice has one of its own, and is settled under it once.
        draw: What the slice has of the tenant's day, where that is limited.
        outstanding: What is set aside for calls under way.
        spends: The calls since the last write.
    """

    day: date
    id: str = field(default_factory=new_slice_id)
    written: Slice | None = None
    known: Known | None = None
    draw: Draw | None = None
    outstanding: Amount = NONE
    spends: list[Spend] = field(default_factory=list)

    @property
    def spent(self) -> Amount:
        """What was spent since the last write."""
        return sum((spend.amount for spend in self.spends), NONE)

    def covers(self, worst: Amount, terms: Terms, *, now: datetime) -> bool:
        """Whether a call may be made that costs so much at worst, without another slice."""
        if self.draw is None and not terms.tenant.is_none:
            return False
        if self.written is None or self.written.until < now + CALL_TIME:
            return False
        has, both = self.written.amount, (terms.user, terms.tenant)
        own = Limit(
            None if all(limit.micro_usd is None for limit in both) else has.micro_usd,
            None if all(limit.tokens is None for limit in both) else has.tokens,
        )
        return own.allows(self.spent + self.outstanding + worst)

    def is_settled(self, data: dict[str, Any] | None) -> bool:
        """Whether somebody has found what the run's document says of the slice: it was written to
        the day, and is not there any more. Of a day that was deleted nothing is known."""
        if self.written is None or data is None:
            return False
        return self.id not in data["slices"] and self.id not in data["lost"]
