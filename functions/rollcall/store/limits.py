"""Limits: what may be spent a day, how often a run may be started, and how many at once.

    budgets/limits    {user, tenant, roles: {role}, users: {uid}, tenants: {id}}, each with any of
                      usdPerDay, tokensPerDay and (but for tenants) runsPerMinute and runsAtOnce;
                      null for no limit
    budgets/prices    {prices: [...]}, read by `agent/prices.py`

Both documents are an operator's, read once a minute. Money and tokens are counted together and
exactly. How often a user starts runs, and how many are under way, `admission` counts.
"""

from __future__ import annotations

import logging
import threading
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from msgspec import Struct, field
from pydantic import Field, ValidationError

from rollcall.core.context import User
from rollcall.core.errors import Unavailable
from rollcall.core.options import collection_id
from rollcall.core.shapes import Wire
from rollcall.store.batches import read_all

if TYPE_CHECKING:
    from google.cloud.firestore import Client

FRESH_S = 60.0
"""An operator's change takes effect within this time."""
MOST_STARTS = 2_000
"""The highest limit of runs a minute: four minutes' fill about half of a day's document."""

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

    def covers(self, other: Amount) -> bool:
        """Whether neither of the other is more."""
        return self.micro_usd >= other.micro_usd and self.tokens >= other.tokens

    @staticmethod
    def of(data: dict[str, Any], name: str = "reserved") -> Amount:
        """Read the two fields of a document, such as `spentMicroUsd` and `spentTokens`."""
        return Amount(data.get(f"{name}MicroUsd", 0), data.get(f"{name}Tokens", 0))

    def dump(self, name: str) -> dict[str, int]:
        return {f"{name}MicroUsd": self.micro_usd, f"{name}Tokens": self.tokens}


NONE = Amount()


# ---- An operator's limits ----


class TenantLimits(Wire):
    """What all users of a tenant may spend together; None for no limit."""

    usd_per_day: UsdPerDay | None = None
    tokens_per_day: TokensPerDay | None = None

    @property
    def micro_usd(self) -> int | None:
        """The money in millionths of a US dollar, as it is counted."""
        return None if self.usd_per_day is None else round(self.usd_per_day * 1_000_000)

    @property
    def is_none(self) -> bool:
        """Whether no money and no tokens are limited."""
        return self.usd_per_day is None and self.tokens_per_day is None

    def allows(self, amount: Amount) -> bool:
        """Whether so much may be spent in a day."""
        usd, tokens = self.micro_usd, self.tokens_per_day
        is_paid = usd is None or amount.micro_usd <= usd
        return is_paid and (tokens is None or amount.tokens <= tokens)


class UserLimits(TenantLimits):
    """What one user may spend, and how often start a run; None for no limit."""

    usd_per_day: UsdPerDay | None = 2.0
    tokens_per_day: TokensPerDay | None = 2_000_000
    runs_per_minute: Annotated[int, Field(ge=0, le=MOST_STARTS)] | None = 300
    runs_at_once: Annotated[int, Field(ge=0, le=1_000)] | None = 8


L = TypeVar("L", bound=TenantLimits)


class Limits(Struct, frozen=True, eq=False):
    """Both documents as they were read, and when (monotonic seconds)."""

    document: dict[str, Any] = field(default_factory=dict)
    prices: dict[str, Any] = field(default_factory=dict)
    read_at: float = field(default_factory=time.monotonic)

    @lru_cache(maxsize=1_000)  # noqa: B019 - what is kept is small, and renewed each minute
    def of_user(self, user: User) -> UserLimits:
        """Return the defaults, overridden by `user`, then by the role's and by the user's entry."""
        places = (("user", None), ("roles", user.role.value), ("users", user.uid))
        return self._overridden(UserLimits(), places)

    @lru_cache(maxsize=1_000)  # noqa: B019
    def of_tenant(self, tenant: str | None) -> TenantLimits:
        """Return no limit but what `tenant` and the tenant's own entry say."""
        places = (("tenant", None), ("tenants", tenant)) if tenant else ()
        return self._overridden(TenantLimits(), places)

    def _overridden(self, limits: L, places: tuple[tuple[str, str | None], ...]) -> L:
        """Override each field by itself: one that cannot be read is logged and changes nothing."""
        for place, key in places:
            entry: Any = self.document.get(place, {})
            if key is not None and isinstance(entry, dict):
                entry = entry.get(key, {})
            for name, value in entry.items() if isinstance(entry, dict) else ((place, entry),):
                try:
                    read = type(limits).model_validate({name: value}, strict=True)
                except ValidationError as error:
                    log.warning("%s %s: %s is left out: %s", place, key or "", name, error)
                    continue
                limits = limits.model_copy(update=read.model_dump(exclude_unset=True))
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
