"""A tenant's day: what its users spend together, reserved by processes and spent from locally.

    budgets/t{tenant}-{day}   tenant, day, spentMicroUsd, spentTokens, slices, expiresAt

A process reserves a part of the tenant's day (5 % of the limit, or one call's worst case) and its
runs take their own from it without a write, until it is used up, its time is over, or no run of the
process needs it; then what was spent is written and the rest is free again. So a busy tenant's
document is written once for many runs, and reserved and spent together never pass the limit.

What was spent from a reservation is also recorded in the users' days, before it is spent. When a
process dies, the next one that writes the tenant's day after the reservation's time adds that up,
and the rest is free again.
"""

from __future__ import annotations

import threading
import uuid
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store.batches import where
from rollcall.store.budgets import (
    DayReservation,
    LimitReached,
    budget_key,
    change,
    expiry,
    settled,
)
from rollcall.store.limits import NONE, Amount, Limit

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference

LEASE = timedelta(minutes=15)
"""How long a process may spend from a reservation."""
MARGIN = timedelta(minutes=2)
"""How much later others take it back: clocks differ, and spending takes a moment to be recorded."""


def tenant_day(db: Client, tenant: str, day: date) -> DocumentReference:
    """Return the document of a tenant's day."""
    return db.document(f"{collection_id('budgets')}/t{budget_key(tenant)}-{day.isoformat()}")


class _TenantDay(Struct):
    """A tenant's day, as its document has it."""

    tenant: str
    day: date
    spent: Amount = NONE
    reservations: dict[str, DayReservation] = field(default_factory=dict)

    @staticmethod
    def of(data: dict[str, Any] | None, *, tenant: str, day: date) -> _TenantDay:
        if data is None:
            return _TenantDay(tenant, day)
        spent = Amount(data["spentMicroUsd"], data["spentTokens"])
        reservations = {id: DayReservation.of(found) for id, found in data["slices"].items()}
        return _TenantDay(tenant, day, spent, reservations)

    def dump(self) -> dict[str, Any]:
        return {
            "schemaVersion": SCHEMA_VERSION,
            "tenant": self.tenant,
            "day": self.day.isoformat(),
            "spentMicroUsd": self.spent.micro_usd,
            "spentTokens": self.spent.tokens,
            "slices": {id: found.dump() for id, found in self.reservations.items()},
            "expiresAt": expiry(self.day),
        }

    @property
    def used(self) -> Amount:
        return sum((found.amount for found in self.reservations.values()), self.spent)


class _ProcessReservation(Struct):
    """A reservation of this process: what is free of it, what was spent, how many runs use it."""

    id: str
    until: datetime
    free: Amount
    spent: Amount = NONE
    users: int = 0

    def covers(self, least: Amount, limit: Limit) -> bool:
        """Whether at least this is free, of that which is limited."""
        free = Limit(
            None if limit.micro_usd is None else self.free.micro_usd,
            None if limit.tokens is None else self.free.tokens,
        )
        return free.allows(least)


class TenantReservation(Struct, frozen=True):
    """A run's part of a reservation of its process."""

    budget: TenantBudget
    reserved: _ProcessReservation
    amount: Amount

    @property
    def source(self) -> str:
        """The id of the process's reservation."""
        return self.reserved.id


class TenantBudget:
    """What this process has of one tenant's day. Its runs share it, each in its own thread."""

    def __init__(self, db: Client, tenant: str, day: date) -> None:
        self._db, self._tenant, self._day = db, tenant, day
        self._reference = tenant_day(db, tenant, day)
        self._lock = threading.Lock()
        self._current: _ProcessReservation | None = None

    def reserve(
        self, limit: Limit, *, least: Amount, wanted: Amount, now: datetime
    ) -> TenantReservation:
        """Reserve at least `least` for a run, and if it is there `wanted`.

        Raises:
            LimitReached: The tenant's limit of the day does not allow it.
            Unavailable: Firestore cannot be reached.
        """
        with self._lock:
            current = self._current
            if current is None or current.until <= now or not current.covers(least, limit):
                current = self._current = self._lease(limit, least=least, wanted=wanted, now=now)
            amount = current.free.at_most(wanted.at_least(least)).at_least(least)
            current.free -= amount
            current.users += 1
            return TenantReservation(self, current, amount)

    def release(self, reservation: TenantReservation, *, spent: Amount) -> None:
        """Say what a run spent of its part; the last one to do so gives the rest back.

        Raises:
            Unavailable: Firestore cannot be reached; the rest comes back when its time is over.
        """
        with self._lock:
            reserved = reservation.reserved
            reserved.free += reservation.amount - spent
            reserved.spent += spent
            reserved.users -= 1
            if reserved.users == 0:
                if self._current is reserved:
                    self._current = None
                change(self._db, self._reference, lambda data: self._returned(data, reserved))

    def _returned(
        self, data: dict[str, Any] | None, reserved: _ProcessReservation
    ) -> dict[str, Any] | None:
        day = _TenantDay.of(data, tenant=self._tenant, day=self._day)
        if day.reservations.pop(reserved.id, None) is None:
            return None  # it was late: others have added up what was spent of it
        day.spent += reserved.spent
        return day.dump()

    def _lease(
        self, limit: Limit, *, least: Amount, wanted: Amount, now: datetime
    ) -> _ProcessReservation:
        reserved = _ProcessReservation(uuid.uuid4().hex[:16], now + LEASE, NONE)

        def apply(data: dict[str, Any] | None) -> dict[str, Any]:
            day = _TenantDay.of(data, tenant=self._tenant, day=self._day)
            for id, found in list(day.reservations.items()):
                if found.until + MARGIN < now:
                    del day.reservations[id]
                    day.spent += _spent_by_users(self._db, id, now)
            most = limit.default_reservation().at_least(wanted)
            amount = limit.reservable(used=day.used, least=least, wanted=most)
            if amount is None:
                raise LimitReached(
                    "your organisation's budget for today is used up; it renews at 00:00 UTC"
                )
            reserved.free = amount
            day.reservations[reserved.id] = DayReservation(amount, reserved.until)
            return day.dump()

        change(self._db, self._reference, apply)
        return reserved


def _spent_by_users(db: Client, source: str, now: datetime) -> Amount:
    """Return what users have spent of a reservation or set aside from it, by their own days."""
    days = db.collection(collection_id("budgets")).where(
        filter=where("sources", "array_contains", source)
    )
    parts = [settled(db, day, now=now).from_source(source) for day in days.stream()]
    return sum(parts, NONE)


_budgets: dict[tuple[str, str, date], TenantBudget] = {}
_lock = threading.Lock()


def tenant_budget(db: Client, tenant: str, day: date) -> TenantBudget:
    """Return this process's part of a tenant's day."""
    place = (f"{db.project}/{db._database}", tenant, day)
    with _lock:
        for known in [known for known in _budgets if known[2] < day - timedelta(days=1)]:
            del _budgets[known]
        return _budgets.setdefault(place, TenantBudget(db, tenant, day))
