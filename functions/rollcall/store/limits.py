"""What may be spent: an operator's data, `budgets/limits` and `budgets/prices`, read once a minute.

budgets/limits    {user, tenant, roles: {role}, users: {uid}, tenants: {id}}, each with any of
                  usdPerDay, tokensPerDay and (but for tenants) runsPerMinute; null for no limit
budgets/prices    {prices: [...]}, read by `agent/prices.py`
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from msgspec import Struct, field
from pydantic import Field, ValidationError

from rollcall.core.context import User
from rollcall.core.errors import Unavailable
from rollcall.core.options import collection_id
from rollcall.core.shapes import Wire
from rollcall.store.amounts import Limit, micro_usd
from rollcall.store.rates import MOST_STARTS

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
