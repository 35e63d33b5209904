"""What may be spent: an operator's data, `budgets/limits` and `budgets/prices`, read once a minute.

budgets/limits    {user, tenant, roles: {role}, users: {uid}, tenants: {id}}, each with any of
                  usdPerDay, tokensPerDay and (but for tenants) runsPerMinute; null for no limit
budgets/prices    {prices: [...]}, read by `agent/prices.py`

Money and tokens, counted together and exactly.

How often a user may start a run: a sliding minute of starts.

The starts are kept in the user's day (`store/budgets.py`), which every opening writes provided that
it is as it was read (`store/day_admission.py`). So nobody opens unseen, and the limit is exact.
They are remembered for longer than the minute: a run that was just opened is known by its key also
to whose clock is ahead.
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

if TYPE_CHECKING:
    from google.cloud.firestore import Client


FRESH_S = 60.0
"""An operator's change takes effect within this time."""

log = logging.getLogger("rollcall")

UsdPerDay = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
TokensPerDay = Annotated[int, Field(ge=0, le=10**12)]


class TenantLimits(Wire):
    """What all users of a tenant may spend together; None for no limit."""

    usd_per_day: UsdPerDay | None = None
    tokens_per_day: TokensPerDay | None = None

    @property
    def a_day(self) -> Limit:
        usd = self.usd_per_day
        return Limit(None if usd is None else micro_usd(usd), self.tokens_per_day)


class UserLimits(TenantLimits):
    """What one user may spend, and how often start; None for no limit."""

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
        """The defaults, overruled by `user`, then by the role's, then by the user's own entry."""
        found = UserLimits()
        for place, key in (("user", None), ("roles", user.role.value), ("users", user.uid)):
            found = _overruled(found, self._entry(place, key), f"{place} {key or ''}")
        return found

    def of_tenant(self, tenant: str) -> TenantLimits:
        """No limit but what `tenant` and the tenant's own entry say."""
        found = TenantLimits()
        for place, key in (("tenant", None), ("tenants", tenant)):
            found = _overruled(found, self._entry(place, key), f"{place} {key or ''}")
        return found

    def _entry(self, place: str, key: str | None) -> Any:
        found = self.document.get(place, {})
        if key is None:
            return found
        return found.get(key, {}) if isinstance(found, dict) else found


def _overruled(limits: L, entry: Any, place: str) -> L:
    """Each field by itself: one that cannot be read is logged, and what it overrules holds."""
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
    """The limits, from memory while they are fresh; a copy that cannot be renewed still serves.

    Raises:
        Unavailable: They were never read, and cannot be.
    """
    from google.api_core.exceptions import GoogleAPICallError

    key = f"{db.project}/{db._database}"
    with _lock:
        found = _known.get(key)
        if found is None or time.monotonic() - found.read_at > FRESH_S:
            try:
                found = _known[key] = _read(db)
            except GoogleAPICallError as error:
                if found is None:
                    raise Unavailable(f"the limits could not be read: {error}") from error
                log.warning("the limits could not be read anew: %s", error)
    return found


def forget() -> None:
    """Read anew next time."""
    _known.clear()


def _read(db: Client) -> Limits:
    collection = db.collection(collection_id("budgets"))
    references = [collection.document("limits"), collection.document("prices")]
    found = {snapshot.id: snapshot.to_dict() or {} for snapshot in db.get_all(references)}
    return Limits(found["limits"], found["prices"])


SLICE = 20
"""A lease takes at least one part in so many of a day's limit, so that documents are written
rarely: 5 %."""


def micro_usd(usd: float) -> int:
    """US dollars as millionths."""
    return round(usd * 1_000_000)


class Amount(Struct, frozen=True):
    """Money in millionths of a US dollar, and tokens."""

    micro_usd: int = 0
    tokens: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.micro_usd + other.micro_usd, self.tokens + other.tokens)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.micro_usd - other.micro_usd, self.tokens - other.tokens)

    def most(self, other: Amount) -> Amount:
        """The larger of each."""
        return Amount(max(self.micro_usd, other.micro_usd), max(self.tokens, other.tokens))

    def least(self, other: Amount) -> Amount:
        """The smaller of each."""
        return Amount(min(self.micro_usd, other.micro_usd), min(self.tokens, other.tokens))

    @staticmethod
    def of(data: dict[str, Any]) -> Amount:
        return Amount(data.get("microUsd", 0), data.get("tokens", 0))

    def dump(self) -> dict[str, int]:
        return {"microUsd": self.micro_usd, "tokens": self.tokens}


NONE = Amount()


class Limit(Struct, frozen=True):
    """What may be used of each; None for as much as one likes."""

    micro_usd: int | None = None
    tokens: int | None = None

    @property
    def is_none(self) -> bool:
        return self.micro_usd is None and self.tokens is None

    def allows(self, amount: Amount) -> bool:
        return _within(amount.micro_usd, self.micro_usd) and _within(amount.tokens, self.tokens)

    def lease(self, *, used: Amount, least: Amount, wanted: Amount) -> Amount | None:
        """What may be leased beside `used`: at least `least`, otherwise None; at most `wanted`."""
        if not self.allows(used + least):
            return None
        return Amount(
            _between(least.micro_usd, wanted.micro_usd, self.micro_usd, used.micro_usd),
            _between(least.tokens, wanted.tokens, self.tokens, used.tokens),
        )

    def slice(self) -> Amount:
        """What a lease takes if nobody asks for more; 0 where there is no limit."""
        return Amount(*(0 if x is None else math.ceil(x / SLICE) for x in self._both()))

    def _both(self) -> tuple[int | None, int | None]:
        return self.micro_usd, self.tokens


def _within(amount: int, limit: int | None) -> bool:
    return limit is None or amount <= limit


def _between(least: int, wanted: int, limit: int | None, used: int) -> int:
    most = max(least, wanted)
    return most if limit is None else max(least, min(most, limit - used))


WINDOW_MS = 60_000
REMEMBERED_MS = WINDOW_MS + 180_000
"""A minute, and by how much the clocks of two processes may differ."""
MOST_STARTS = 10_000
"""A limit is no higher, and no more are remembered: about half of what a document holds."""


class Start(Struct, frozen=True):
    """When a run was opened, in Unix milliseconds.

    Attributes:
        counts: Whether the rate counts it. A run that goes on with a turn is only remembered.
    """

    at_ms: int
    counts: bool = True

    @staticmethod
    def of(data: dict[str, Any]) -> Start:
        return Start(data["atMs"], data["counts"])

    def dump(self) -> dict[str, Any]:
        return {"atMs": self.at_ms, "counts": self.counts}


def recent(starts: Mapping[str, Start], *, now_ms: int) -> dict[str, Start]:
    """The starts of the last minute, by their runs' keys."""
    return _since(now_ms - WINDOW_MS, starts)


def remembered(starts: Mapping[str, Start], *, now_ms: int) -> dict[str, Start]:
    """Those that are kept, by their runs' keys; where there are too many, the newest."""
    kept = _since(now_ms - REMEMBERED_MS, starts)
    if len(kept) <= MOST_STARTS:
        return kept
    return dict(sorted(kept.items(), key=lambda each: each[1].at_ms)[-MOST_STARTS:])


def _since(after_ms: int, starts: Mapping[str, Start]) -> dict[str, Start]:
    return {key: each for key, each in starts.items() if each.at_ms > after_ms}


def check_rate(starts: Mapping[str, Start], most: int | None, *, now_ms: int) -> None:
    """
    Args:
        starts: Those that are remembered.
        most: How many may start in a minute; None for any number.
    Raises:
        ResourceExhausted: One more would be too many.
    """
    last = recent(starts, now_ms=now_ms).values()
    counted = [each.at_ms for each in last if each.counts]
    if most is None or len(counted) < most:
        return
    wait_ms = min(counted, default=now_ms) + WINDOW_MS - now_ms
    raise ResourceExhausted(
        f"that is too fast: at most {most} messages a minute; wait a moment",
        retry_after_s=max(1, -(-wait_ms // 1000)),
    )
