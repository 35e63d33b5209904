"""Budgets: an operator's limits, and what users and tenants have spent and reserved in a day.

    budgets/limits                {user, tenant, roles: {role}, users: {uid}, tenants: {id}}, each
                                  with any of usdPerDay, tokensPerDay and (but for tenants)
                                  runsPerMinute and runsAtOnce; null for no limit
    budgets/prices                {prices: [...]}, read by `agent/prices.py`
    budgets/u{user}-{day}         uid, day, SUMS, reservations: {id: {run, at, reservedMicroUsd,
                                  reservedTokens}}, models, starts, expiresAt
    budgets/t{tenant}-{day}-{n}   tenant, day, SUMS, expiresAt

SUMS are spentMicroUsd, spentTokens, reservedMicroUsd and reservedTokens. Operators write the first
two documents, which are read once a minute. `admission` counts how often a user starts runs and how
many are under way.

The worst-case cost of a model call is reserved before the call, and its actual cost settled after
it; spent and reserved together never exceed the limit (docs/decisions/16-budgets.md). A reservation
is a write on the condition that the day is unchanged, or increments whose result is checked before
the call. The reservation of a process that died stays in the sum, and so counts as spent;
`reservations` only says which runs the sum belongs to.
"""

from __future__ import annotations

import functools
import logging
import random
import threading
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

from msgspec import Struct, field
from pydantic import Field, ValidationError

from rollcall.core.context import User
from rollcall.core.errors import ResourceExhausted, Unavailable
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION, Wire
from rollcall.core.texts import TEXTS, Text
from rollcall.core.wire import RunStatus
from rollcall.store import paths
from rollcall.store.batches import read_all, where
from rollcall.store.run_closing import is_run_alive

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

FRESH_S = 60.0
"""An operator's change takes effect within this time."""
MAX_STARTS = 2_000
"""The highest limit of runs a minute: the starts of four minutes fill about half of a document."""

KEPT_DAYS = 400
"""How long a day's document is kept."""
MAX_CALL = timedelta(hours=1)
"""A reservation outside of a run that is older than this was left by a process that died."""
RESERVED_RETRY_S = 5
"""When to retry a call that other calls' reservations leave no room for."""


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
        """Whether neither the money nor the tokens of `other` exceed these."""
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
        """The money limit in millionths of a US dollar."""
        return None if self.usd_per_day is None else round(self.usd_per_day * 1_000_000)

    @property
    def is_none(self) -> bool:
        """Whether neither money nor tokens are limited."""
        return self.usd_per_day is None and self.tokens_per_day is None

    def allows(self, amount: Amount) -> bool:
        """Whether this amount may be spent in a day."""
        usd, tokens = self.micro_usd, self.tokens_per_day
        is_paid = usd is None or amount.micro_usd <= usd
        return is_paid and (tokens is None or amount.tokens <= tokens)


class UserLimits(TenantLimits):
    """What one user may spend, and how many runs they may start; None for no limit."""

    usd_per_day: UsdPerDay | None = 2.0
    tokens_per_day: TokensPerDay | None = 2_000_000
    runs_per_minute: Annotated[int, Field(ge=0, le=MAX_STARTS)] | None = 300
    runs_at_once: Annotated[int, Field(ge=0, le=1_000)] | None = 8


L = TypeVar("L", bound=TenantLimits)


class Limits(Struct, frozen=True, eq=False):
    """An operator's limits and prices, as read at `read_at` (monotonic seconds)."""

    document: dict[str, Any] = field(default_factory=dict)
    prices: dict[str, Any] = field(default_factory=dict)
    read_at: float = field(default_factory=time.monotonic)

    @functools.lru_cache(maxsize=1_000)  # noqa: B019 - entries are small, and renewed each minute
    def of_user(self, user: User) -> UserLimits:
        """Return the defaults, overridden by `user`, then by the role's and by the user's entry."""
        places = (("user", None), ("roles", user.role.value), ("users", user.uid))
        return self._overridden(UserLimits(), places)

    @functools.lru_cache(maxsize=1_000)  # noqa: B019
    def of_tenant(self, tenant: str | None) -> TenantLimits:
        """Return the limits that `tenant` and the tenant's own entry set; there are no defaults."""
        places = (("tenant", None), ("tenants", tenant)) if tenant else ()
        return self._overridden(TenantLimits(), places)

    def _overridden(self, limits: L, places: tuple[tuple[str, str | None], ...]) -> L:
        """Override each field separately: an invalid value is logged and changes nothing."""
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
    """Return the limits, from memory while they are fresh; an old copy is used if they cannot be
    read again.

    Raises:
        Unavailable: They cannot be read, and there is no copy.
    """
    from google.api_core.exceptions import GoogleAPICallError

    key = db._database_string
    with _lock:
        current = _known.get(key)
        if current is None or time.monotonic() - current.read_at > FRESH_S:
            budgets = db.collection(collection_id("budgets"))
            try:
                own, prices = read_all(db, budgets.document("limits"), budgets.document("prices"))
                current = _known[key] = Limits(own.to_dict() or {}, prices.to_dict() or {})
            except GoogleAPICallError as error:
                if current is None:
                    raise Unavailable(f"the limits could not be read: {error}") from error
                log.warning("the limits could not be read anew: %s", error)
    return current


def forget_limits() -> None:
    """Drop the limits from memory, so that the next call reads them."""
    _known.clear()


# ---- Days ----


def expiry(day: date) -> datetime:
    """Return when a day's document expires."""
    return datetime.combine(day + timedelta(days=KEPT_DAYS), time_of_day(), UTC)


def until_tomorrow_s(now: datetime) -> int:
    """Return the seconds until the next UTC day, when budgets renew."""
    midnight = datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time_of_day(), UTC)
    return int((midnight - now).total_seconds()) + 1


class BudgetExhausted(ResourceExhausted):
    """The budget of the user or of the tenant is used up: no model may be called now.

    Attributes:
        is_for_now: Whether only reservations of other calls are in the way, which may turn out to
            cost less.
    """

    def __init__(self, message: str | Text, *, is_for_now: bool = False) -> None:
        hint = TEXTS.text("hints.run_has_to_end" if is_for_now else "hints.budget_renews")
        super().__init__(
            TEXTS.text("errors.budget_refused", message=message, hint=hint),
            hint=hint,
            retry_after_s=RESERVED_RETRY_S if is_for_now else until_tomorrow_s(datetime.now(UTC)),
        )
        self.is_for_now = is_for_now

    @staticmethod
    def of(limit: TenantLimits, day: Day, need: Amount) -> BudgetExhausted:
        """Return the error for a call that does not fit into a user's day."""
        is_for_now = limit.allows(day.spent + need)
        usd, tokens, used = limit.micro_usd, limit.tokens_per_day or 0, day.used
        most: str | Text
        if usd is not None and used.micro_usd + need.micro_usd > usd:
            amounts = (max(0, usd - used.micro_usd), usd, need.micro_usd)
            left, most, needed = (f"${each / 1_000_000:.2f}" for each in amounts)
        else:
            left, needed = f"{max(0, tokens - used.tokens):,}", f"{need.tokens:,}"
            most = TEXTS.text("errors.tokens", number=tokens)
        key = "errors.budget_reserved" if is_for_now else "errors.budget_used_up"
        message = TEXTS.text(key, left=left, most=most, needed=needed)
        return BudgetExhausted(message, is_for_now=is_for_now)


class Day(Struct):
    """A user's budget for a day, as stored.

    Attributes:
        uid: None once the user's data was erased.
        settled: What calls cost.
        reserved: The sum of all unsettled reservations, including those of ended runs.
        reservations: Reservations of runs, and of calls outside of runs, that are not known to have
            ended. A run has an entry even if it has reserved nothing.
        models: Sums of counts and cost by model.
        starts: Runs that were opened in the last minutes, by their keys (`admission`).
    """

    uid: str | None
    day: date
    settled: Amount = NONE
    reserved: Amount = NONE
    reservations: dict[str, dict[str, Any]] = field(default_factory=dict)
    models: dict[str, dict[str, int]] = field(default_factory=dict)
    starts: dict[str, dict[str, Any]] = field(default_factory=dict)

    @staticmethod
    def of(data: dict[str, Any] | None, day: date) -> Day:
        """Read a day's document; None stands for a missing one."""
        data = data or {}
        sums = Amount.of(data, "spent"), Amount.of(data, "reserved")
        maps = (dict(data.get(name, {})) for name in ("reservations", "models", "starts"))
        return Day(data.get("uid"), day, *sums, *maps)

    def dump(self) -> dict[str, Any]:
        """Return the document's fields. Without a `uid` they leave the stored uid and expiry
        alone."""
        named = {"uid": self.uid, "expiresAt": expiry(self.day)} if self.uid is not None else {}
        return {
            **named,
            "schemaVersion": SCHEMA_VERSION,
            "day": self.day.isoformat(),
            **self.settled.dump("spent"),
            **self.reserved.dump("reserved"),
            "reservations": self.reservations,
            "models": self.models,
            "starts": self.starts,
        }

    @property
    def used(self) -> Amount:
        """The sum of settled and reserved, which is compared with a limit."""
        return self.settled + self.reserved

    @property
    def spent(self) -> Amount:
        """What calls cost, plus what ended runs reserved and did not settle."""
        return self.used - sum(map(Amount.of, self.reservations.values()), NONE)

    def settle(self, cost: Amount, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Add what calls cost, and their counts by model."""
        self.settled += cost
        for model_id, numbers in counts.items():
            sums = self.models.get(model_id, {})
            self.models[model_id] = {key: sums.get(key, 0) + numbers[key] for key in numbers}

    def remove_ended_runs(self, db: Client, *, now: datetime) -> set[str]:
        """Remove the reservations of ended runs, and of calls that are older than `MAX_CALL`;
        one read for each run.

        Returns:
            The paths of the runs that a process works on.
        """
        entries = self.reservations.items()
        names = sorted({each["run"] for _, each in entries if each["run"]})
        snapshots = read_all(db, *(db.document(name) for name in names))
        runs = {name: run.to_dict() or {} for name, run in zip(names, snapshots, strict=True)}
        for id, each in list(entries):
            is_over = runs.get(each["run"], {}).get("status") != RunStatus.RUNNING
            if not each["run"]:
                is_over = each["at"] + MAX_CALL < now
            if is_over:
                del self.reservations[id]
        return {name for name, run in runs.items() if is_run_alive(run)}


def reservation(amount: Amount, run: str | None, at: datetime) -> dict[str, Any]:
    """Return the entry of a run in its user's day.

    Args:
        run: The path of the run; None for a call outside of runs.
    """
    return {**amount.dump("reserved"), "run": run, "at": at}


def increments(*, reserved: Amount, spent: Amount) -> dict[str, Any]:
    """Return fields that add to a day's sums; the batch must be committed at most once."""
    from google.cloud.firestore import Increment

    sums = reserved.dump("reserved") | spent.dump("spent")
    return {name: Increment(number) for name, number in sums.items()}


def used_sum(written: Any) -> Amount:
    """Return the sum of reserved and spent after `increments`, from the write's result."""
    # Results are in the order of the fields' names, of which these are the last four.
    sums = [each.integer_value for each in written.transform_results][-4:]
    return Amount(sums[0] + sums[2], sums[1] + sums[3])


def read_days(db: Client, uid: str, *, since: date, until: date, now: datetime) -> list[Day]:
    """Return a user's stored days, oldest first, without the reservations of ended runs."""
    # A query by document id needs no index of its own and matches this user alone.
    first, last = paths.user_day(db, uid, since), paths.user_day(db, uid, until)
    query = db.collection(collection_id("budgets")).where(filter=where("__name__", ">=", first))
    found = query.where(filter=where("__name__", "<=", last)).stream()
    return [read_day(db, snapshot.to_dict() or {}, now=now) for snapshot in found]


def read_day(db: Client, data: dict[str, Any], *, now: datetime) -> Day:
    """Return the day of a document, without the reservations of ended runs."""
    day = Day.of(data, date.fromisoformat(data["day"]))
    day.remove_ended_runs(db, now=now)
    return day


class RunBudget(Protocol):
    """The budget that a run spends from, as its opening, saves and end use it. `agent/budget.py`
    implements it as `UserBudget`."""

    def reserve_first(self, day: Day, batch: WriteBatch, id: str) -> None: ...
    def begin(self, id: str) -> None: ...
    def write(self, batch: WriteBatch, *, is_last: bool = False, is_over: bool = True) -> None: ...
    def wrote(self, written: Sequence[Any]) -> None: ...


# ---- Tenants ----
#
# A tenant's day is split into shards. Each process adds its runs' reservations and costs to one
# shard, by increments in batches that the runs commit anyway. After a reservation is committed and
# before its call, all shards are summed. Of several concurrent reservations, the last to commit
# sees all the others, so the calls that are made never cost more than the limit.

SHARDS = 64
"""The most shards of a day. Each process adds to one, so fewer processes make fewer shards."""


@functools.cache
def own_shard() -> int:
    """Return the number of the shard that this process adds to."""
    return random.randrange(SHARDS)


class TenantDay(Struct, frozen=True):
    """A tenant's budget for a day, which its users share."""

    db: Client
    tenant: str
    day: date

    def add(self, batch: WriteBatch, *, reserved: Amount, spent: Amount = NONE) -> None:
        """Add amounts to the day; the batch must be committed at most once."""
        fields = {
            "schemaVersion": SCHEMA_VERSION,
            "tenant": self.tenant,
            "day": self.day.isoformat(),
            "expiresAt": expiry(self.day),
            **increments(reserved=reserved, spent=spent),
        }
        batch.set(paths.tenant_day(self.db, self.tenant, self.day, own_shard()), fields, merge=True)

    def sums(self) -> tuple[Amount, Amount]:
        """Return the reserved and the spent amount over all shards."""
        # A query by document id needs no index of its own; ":" sorts right after "9".
        first, end = (paths.tenant_day(self.db, self.tenant, self.day, n) for n in ("0", ":"))
        budgets = self.db.collection(collection_id("budgets"))
        query = budgets.where(filter=where("__name__", ">=", first))
        reserved = spent = NONE
        for shard in query.where(filter=where("__name__", "<", end)).stream():
            sums = shard.to_dict() or {}
            reserved += Amount.of(sums, "reserved")
            spent += Amount.of(sums, "spent")
        return reserved, spent

    def check(self, limit: TenantLimits, need: Amount) -> None:
        """Check that spent and reserved together are within the limit.

        Args:
            need: The amount of the newest reservation.
        Raises:
            BudgetExhausted: They exceed it; the caller must release that reservation.
        """
        reserved, spent = self.sums()
        if limit.allows(reserved + spent):
            return
        is_for_now = limit.allows(spent + need)
        key = "errors.tenant_budget_reserved" if is_for_now else "errors.tenant_budget_used_up"
        raise BudgetExhausted(TEXTS.text(key), is_for_now=is_for_now)
