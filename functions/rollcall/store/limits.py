"""Limits: what may be spent, and how often a run may be started.

    budgets/limits    {user, tenant, roles: {role}, users: {uid}, tenants: {id}}, each with any of
                      usdPerDay, tokensPerDay and (but for tenants) runsPerMinute; null for no limit
    budgets/prices    {prices: [...]}, read by `agent/prices.py`

Both documents are an operator's, read once a minute. Money and tokens are counted together and
exactly. The rate of starts is that of a sliding minute, kept in the user's day (`budgets`), which
every opening writes provided that it is as it was read (`admission`): so no run is opened unseen,
and the rate is exact.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from msgspec import Struct, field
from pydantic import Field, ValidationError

from rollcall.core.context import User
from rollcall.core.errors import ResourceExhausted, Unavailable
from rollcall.core.options import collection_id
from rollcall.core.shapes import Wire
from rollcall.store.batches import read_all

if TYPE_CHECKING:
    from google.cloud.firestore import Client

FRESH_S = 60.0
"""An operator's change takes effect within this time."""
DEFAULT_PARTS = 20
"""A reservation takes at least one part in so many of a day's limit, 5 %, so that documents are
written rarely."""
WINDOW_MS = 60_000
REMEMBERED_MS = WINDOW_MS + 180_000
"""How long starts are kept: a minute, and by how much the clocks of two processes may differ. A run
that was just opened is known by its key also to a process whose clock is ahead."""
MOST_STARTS = 10_000
"""A limit is no higher, and no more are kept: about half of what a document holds."""

log = logging.getLogger("rollcall")

UsdPerDay = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
TokensPerDay = Annotated[int, Field(ge=0, le=10**12)]


# ---- Amounts ----


class Amount(Struct, frozen=True):
    """Money in millionths of a US dollar, and tokens."""

    micro_usd: int = 0
    tokens: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.micro_usd + other.micro_usd, self.tokens + other.tokens)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.micro_usd - other.micro_usd, self.tokens - other.tokens)

    def at_least(self, other: Amount) -> Amount:
        """Return the larger of each."""
        return Amount(max(self.micro_usd, other.micro_usd), max(self.tokens, other.tokens))

    def at_most(self, other: Amount) -> Amount:
        """Return the smaller of each."""
        return Amount(min(self.micro_usd, other.micro_usd), min(self.tokens, other.tokens))

    @staticmethod
    def of(data: dict[str, Any]) -> Amount:
        return Amount(data.get("microUsd", 0), data.get("tokens", 0))

    def dump(self) -> dict[str, int]:
        return {"microUsd": self.micro_usd, "tokens": self.tokens}


NONE = Amount()


def micro_usd(usd: float) -> int:
    """Return US dollars as millionths."""
    return round(usd * 1_000_000)


class Limit(Struct, frozen=True):
    """What may be spent of each in a day; None for no limit."""

    micro_usd: int | None = None
    tokens: int | None = None

    @property
    def is_none(self) -> bool:
        return self.micro_usd is None and self.tokens is None

    def allows(self, amount: Amount) -> bool:
        """Whether an amount is within the limit."""
        pairs = ((amount.micro_usd, self.micro_usd), (amount.tokens, self.tokens))
        return all(limit is None or spent <= limit for spent, limit in pairs)

    def reservable(self, *, used: Amount, least: Amount, wanted: Amount) -> Amount | None:
        """Return what may be reserved beside what is `used`: at least `least`, otherwise None; at
        most `wanted`."""
        if not self.allows(used + least):
            return None
        return Amount(
            _between(least.micro_usd, wanted.micro_usd, self.micro_usd, used.micro_usd),
            _between(least.tokens, wanted.tokens, self.tokens, used.tokens),
        )

    def default_reservation(self) -> Amount:
        """Return what a reservation takes if no more is needed; 0 where there is no limit."""
        both = (self.micro_usd, self.tokens)
        return Amount(*(0 if each is None else math.ceil(each / DEFAULT_PARTS) for each in both))


def _between(least: int, wanted: int, limit: int | None, used: int) -> int:
    most = max(least, wanted)
    return most if limit is None else max(least, min(most, limit - used))


# ---- An operator's limits ----


class TenantLimits(Wire):
    """What all users of a tenant may spend together; None for no limit."""

    usd_per_day: UsdPerDay | None = None
    tokens_per_day: TokensPerDay | None = None

    @property
    def a_day(self) -> Limit:
        usd = self.usd_per_day
        return Limit(None if usd is None else micro_usd(usd), self.tokens_per_day)


class UserLimits(TenantLimits):
    """What one user may spend, and how often start a run; None for no limit."""

    usd_per_day: UsdPerDay | None = 2.0
    tokens_per_day: TokensPerDay | None = 2_000_000
    runs_per_minute: Annotated[int, Field(ge=0, le=MOST_STARTS)] | None = 300


L = TypeVar("L", bound=TenantLimits)


class Limits(Struct, frozen=True):
    """Both documents as they were read, and when (monotonic seconds)."""

    document: dict[str, Any] = field(default_factory=dict)
    prices: dict[str, Any] = field(default_factory=dict)
    read_at: float = field(default_factory=time.monotonic)

    def of_user(self, user: User) -> UserLimits:
        """Return the defaults, overridden by `user`, then by the role's and by the user's entry."""
        places = (("user", None), ("roles", user.role.value), ("users", user.uid))
        return self._overridden(UserLimits(), places)

    def of_tenant(self, tenant: str) -> TenantLimits:
        """Return no limit but what `tenant` and the tenant's own entry say."""
        return self._overridden(TenantLimits(), (("tenant", None), ("tenants", tenant)))

    def _overridden(self, limits: L, places: tuple[tuple[str, str | None], ...]) -> L:
        for place, key in places:
            entry: Any = self.document.get(place, {})
            if key is not None and isinstance(entry, dict):
                entry = entry.get(key, {})
            limits = _overridden(limits, entry, f"{place} {key or ''}")
        return limits


def _overridden(limits: L, entry: Any, place: str) -> L:
    """Override each field by itself: one that cannot be read is logged and changes nothing."""
    if not isinstance(entry, dict):
        log.warning("%s must be a map, and is left out", place)
        return limits
    for key, value in entry.items():
        try:
            read = type(limits).model_validate({key: value}, strict=True)
        except ValidationError as error:
            log.warning("%s: %s is left out: %s", place, key, error)
            continue
        changed = {name: getattr(read, name) for name in read.model_fields_set}
        limits = limits.model_copy(update=changed)
    return limits


_known: dict[str, Limits] = {}
_lock = threading.Lock()


def limits(db: Client) -> Limits:
    """Return the limits, from memory while they are fresh; a copy that cannot be renewed still
    serves.

    Raises:
        Unavailable: They were never read, and cannot be.
    """
    from google.api_core.exceptions import GoogleAPICallError

    key = f"{db.project}/{db._database}"
    with _lock:
        found = _known.get(key)
        if found is None or time.monotonic() - found.read_at > FRESH_S:
            budgets = db.collection(collection_id("budgets"))
            try:
                own, prices = read_all(db, budgets.document("limits"), budgets.document("prices"))
                found = _known[key] = Limits(own.to_dict() or {}, prices.to_dict() or {})
            except GoogleAPICallError as error:
                if found is None:
                    raise Unavailable(f"the limits could not be read: {error}") from error
                log.warning("the limits could not be read anew: %s", error)
    return found


def forget() -> None:
    """Read the limits anew next time."""
    _known.clear()


# ---- The rate of starts ----


class Start(Struct, frozen=True):
    """When a run was opened, in Unix milliseconds.

    Attributes:
        counts: Whether the rate counts it. A run that continues a turn is only remembered.
    """

    at_ms: int
    counts: bool = True

    @staticmethod
    def of(data: dict[str, Any]) -> Start:
        return Start(data["atMs"], data["counts"])

    def dump(self) -> dict[str, Any]:
        return {"atMs": self.at_ms, "counts": self.counts}


def remembered(starts: Mapping[str, Start], *, now_ms: int) -> dict[str, Start]:
    """Return the starts that are kept, by their runs' keys; of too many the newest."""
    kept = {key: each for key, each in starts.items() if each.at_ms > now_ms - REMEMBERED_MS}
    if len(kept) <= MOST_STARTS:
        return kept
    return dict(sorted(kept.items(), key=lambda each: each[1].at_ms)[-MOST_STARTS:])


def check_rate(starts: Mapping[str, Start], most: int | None, *, now_ms: int) -> None:
    """Check that one more run may be started.

    Args:
        starts: Those that are remembered.
        most: How many may start in a minute; None for any number.
    Raises:
        ResourceExhausted: One more would be too many.
    """
    since = now_ms - WINDOW_MS
    counted = [each.at_ms for each in starts.values() if each.counts and each.at_ms > since]
    if most is None or len(counted) < most:
        return
    wait_ms = min(counted, default=now_ms) + WINDOW_MS - now_ms
    raise ResourceExhausted(
        f"that is too fast: at most {most} messages a minute; wait a moment",
        retry_after_s=max(1, -(-wait_ms // 1000)),
    )
