"""What a tenant's users spend together: leased by processes in slices, spent from locally.

A process takes a slice of the tenant's day (5 % of the limit, or one call's worst case) and its
runs draw on it without a write, until it is used up, its time is over, or no run of the process
needs it; then what was spent is written and the rest is free again. So a busy tenant's document is
written once for many runs, and slices and spend together never pass the limit.

What was spent from a slice is also recorded in the users' days, before it is spent. When a process
dies, the next one that writes the tenant's day after the slice's time adds that up, and the rest is
free again.
"""

from __future__ import annotations

import threading
import uuid
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store.budgets import Refused, Slice, change, expiry, key, settled
from rollcall.store.limits import NONE, Amount, Limit

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference

LEASE = timedelta(minutes=15)
"""How long a process may draw on a slice."""

MARGIN = timedelta(minutes=2)
"""How much later others take it back: clocks differ, and a draw takes a moment to be recorded."""


def tenant_day(db: Client, tenant: str, day: date) -> DocumentReference:
    return db.document(f"{collection_id('budgets')}/t{key(tenant)}-{day.isoformat()}")


class _TenantDay(Struct):
    """A tenant's day, as its document tells it."""

    tenant: str
    day: date
    spent: Amount = NONE
    slices: dict[str, Slice] = field(default_factory=dict)

    @staticmethod
    def of(data: dict[str, Any] | None, *, tenant: str, day: date) -> _TenantDay:
        if data is None:
            return _TenantDay(tenant, day)
        spent = Amount(data["spentMicroUsd"], data["spentTokens"])
        slices = {id: Slice.of(found) for id, found in data["slices"].items()}
        return _TenantDay(tenant, day, spent, slices)

    def dump(self) -> dict[str, Any]:
        return {
            "schemaVersion": SCHEMA_VERSION,
            "tenant": self.tenant,
            "day": self.day.isoformat(),
            "spentMicroUsd": self.spent.micro_usd,
            "spentTokens": self.spent.tokens,
            "slices": {id: found.dump() for id, found in self.slices.items()},
            "expiresAt": expiry(self.day),
        }

    @property
    def used(self) -> Amount:
        return sum((found.amount for found in self.slices.values()), self.spent)


class _Held(Struct):
    """A slice that this process holds: what is free of it, what was spent, how many draw on it."""

    id: str
    until: datetime
    free: Amount
    spent: Amount = NONE
    draws: int = 0


class Draw(Struct, frozen=True):
    """A run's part of a slice."""

    share: Share
    held: _Held
    amount: Amount

    @property
    def source(self) -> str:
        return self.held.id


class Share:
    """What this process has of one tenant's day. Its runs share it, each in its own thread."""

    def __init__(self, db: Client, tenant: str, day: date) -> None:
        self._db, self._tenant, self._day = db, tenant, day
        self._reference = tenant_day(db, tenant, day)
        self._lock = threading.Lock()
        self._held: _Held | None = None

    def draw(self, limit: Limit, *, least: Amount, wanted: Amount, now: datetime) -> Draw:
        """Take at least `least`, and if it is there `wanted`.

        Raises:
            Refused: The tenant's limit of the day does not allow it.
            Unavailable: Firestore cannot be reached.
        """
        with self._lock:
            held = self._held
            if held is None or held.until <= now or not _holds(held, least, limit):
                held = self._held = self._lease(limit, least=least, wanted=wanted, now=now)
            amount = _part(held.free, least, wanted)
            held.free -= amount
            held.draws += 1
            return Draw(self, held, amount)

    def release(self, draw: Draw, *, spent: Amount) -> None:
        """Say what was spent of a draw; the last one to do so gives the slice's rest back.

        Raises:
            Unavailable: Firestore cannot be reached; the rest comes back when its time is over.
        """
        with self._lock:
            held = draw.held
            held.free += draw.amount - spent
            held.spent += spent
            held.draws -= 1
            if held.draws == 0:
                if self._held is held:
                    self._held = None
                change(self._db, self._reference, lambda data: self._returned(data, held))

    def _returned(self, data: dict[str, Any] | None, held: _Held) -> dict[str, Any] | None:
        day = _TenantDay.of(data, tenant=self._tenant, day=self._day)
        if day.slices.pop(held.id, None) is None:
            return None  # it was late: others have added up what was spent of it
        day.spent += held.spent
        return day.dump()

    def _lease(self, limit: Limit, *, least: Amount, wanted: Amount, now: datetime) -> _Held:
        held = _Held(uuid.uuid4().hex[:16], now + LEASE, NONE)

        def apply(data: dict[str, Any] | None) -> dict[str, Any]:
            day = _TenantDay.of(data, tenant=self._tenant, day=self._day)
            self._take_back(day, now)
            amount = limit.lease(used=day.used, least=least, wanted=limit.slice().most(wanted))
            if amount is None:
                raise Refused(
                    "your organisation's budget for today is used up; it renews at 00:00 UTC"
                )
            held.free = amount
            day.slices[held.id] = Slice(amount, held.until)
            return day.dump()

        change(self._db, self._reference, apply)
        return held

    def _take_back(self, day: _TenantDay, now: datetime) -> None:
        """Free what is left of slices whose time is over."""
        for id, found in list(day.slices.items()):
            if found.until + MARGIN < now:
                del day.slices[id]
                day.spent += _drawn(self._db, id, now)


def _holds(held: _Held, least: Amount, limit: Limit) -> bool:
    free = Limit(
        None if limit.micro_usd is None else held.free.micro_usd,
        None if limit.tokens is None else held.free.tokens,
    )
    return free.allows(least)


def _part(free: Amount, least: Amount, wanted: Amount) -> Amount:
    return free.least(wanted.most(least)).most(least)


def _drawn(db: Client, source: str, now: datetime) -> Amount:
    """What users have spent of a slice or set aside from it, by their own days' documents."""
    from google.cloud.firestore import FieldFilter

    drawing = FieldFilter("sources", "array_contains", source)
    days = db.collection(collection_id("budgets")).where(filter=drawing)
    parts = [settled(db, day, now=now).from_source(source) for day in days.stream()]
    return sum(parts, NONE)


_shares: dict[tuple[str, str, date], Share] = {}
_lock = threading.Lock()


def share(db: Client, tenant: str, day: date) -> Share:
    """This process's share of a tenant's day."""
    place = (f"{db.project}/{db._database}", tenant, day)
    with _lock:
        for known in [known for known in _shares if known[2] < day - timedelta(days=1)]:
            del _shares[known]
        return _shares.setdefault(place, Share(db, tenant, day))
