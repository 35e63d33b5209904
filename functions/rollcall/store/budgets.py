"""Days of users and tenants: what was spent, and what is reserved for model calls under way.

    budgets/u{user}-{day}         uid, day, SUMS, reservations: {id: {run, at, reservedMicroUsd,
                                  reservedTokens}}, models, starts, expiresAt
    budgets/t{tenant}-{day}-{n}   tenant, day, SUMS, expiresAt

SUMS are spentMicroUsd, spentTokens, reservedMicroUsd and reservedTokens.

The worst case of a model call is reserved before the call and its cost settled after it; spent and
reserved together never pass the limit (docs/decisions/16-budgets.md). A reservation is made by a
write that insists on the day as it was read, or by increments whose answer is checked before the
call. What a process that died had reserved stays in the sum, and so counts as spent;
`reservations` only says whose the sum is.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from rollcall.core.errors import ResourceExhausted
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.core.wire import RunStatus
from rollcall.store import paths
from rollcall.store.batches import read_all, where
from rollcall.store.limits import NONE, Amount, TenantLimits
from rollcall.store.run_closing import is_run_alive

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

KEPT_DAYS = 400
"""Then a day's document expires."""
LONGEST_CALL = timedelta(hours=1)
"""A reservation outside of a run that is older than this was left by a process that died."""
RESERVED_RETRY_S = 5
"""When a call may be tried again that others' reservations are in the way of."""


def expiry(day: date) -> datetime:
    """Return when a day's document expires."""
    return datetime.combine(day + timedelta(days=KEPT_DAYS), time(), UTC)


def until_tomorrow_s(now: datetime) -> int:
    """Return the seconds until the next UTC day, when budgets renew."""
    midnight = datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)
    return int((midnight - now).total_seconds()) + 1


class BudgetExhausted(ResourceExhausted):
    """The budget of the user or of the tenant is used up: no model may be called now.

    Attributes:
        is_for_now: Whether reservations of others alone are in the way, of calls that may cost
            less.
    """

    def __init__(self, message: str, *, is_for_now: bool = False) -> None:
        hint, retry_after_s = "it renews at 00:00 UTC", until_tomorrow_s(datetime.now(UTC))
        if is_for_now:
            hint, retry_after_s = "try again when a run under way has ended", RESERVED_RETRY_S
        super().__init__(f"{message}; {hint}", hint=hint, retry_after_s=retry_after_s)
        self.is_for_now = is_for_now

    @staticmethod
    def of(limit: TenantLimits, day: Day, need: Amount) -> BudgetExhausted:
        """Return the refusal of a call for which a user's day has no room."""
        is_for_now = limit.allows(day.spent + need)
        why = "reserved by your runs under way" if is_for_now else "used up"
        usd, tokens, used = limit.micro_usd, limit.tokens_per_day or 0, day.used
        if usd is not None and used.micro_usd + need.micro_usd > usd:
            amounts = (max(0, usd - used.micro_usd), usd, need.micro_usd)
            left, most, needed = (f"${each / 1_000_000:.2f}" for each in amounts)
        else:
            left, most = f"{max(0, tokens - used.tokens):,}", f"{tokens:,} tokens"
            needed = f"{need.tokens:,}"
        told = f"{left} of {most} are left, and this may take up to {needed}"
        return BudgetExhausted(f"your budget for today is {why}: {told}", is_for_now=is_for_now)


# ---- Users ----


class Day(Struct):
    """A user's day, as its document has it.

    Attributes:
        uid: None once the user's data was erased.
        settled: What calls cost.
        reserved: The sum of what was reserved and is not settled, also by runs that are over.
        reservations: Those of runs, and of calls outside of runs, that are not known to be over; a
            run is entered without having reserved anything, too.
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
        """Read a document; None for one that is not there."""
        data = data or {}
        sums = Amount.of(data, "spent"), Amount.of(data, "reserved")
        maps = (dict(data.get(name, {})) for name in ("reservations", "models", "starts"))
        return Day(data.get("uid"), day, *sums, *maps)

    def dump(self) -> dict[str, Any]:
        """Return the document's fields; those of a nameless day leave its name and its expiry."""
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
        """Spent or reserved: what a limit is compared with."""
        return self.settled + self.reserved

    @property
    def spent(self) -> Amount:
        """What calls cost, and what runs that are over had reserved and did not settle."""
        return self.used - sum(map(Amount.of, self.reservations.values()), NONE)

    def settle(self, cost: Amount, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Add what calls cost, and their counts by model."""
        self.settled += cost
        for model_id, numbers in counts.items():
            sums = self.models.get(model_id, {})
            self.models[model_id] = {key: sums.get(key, 0) + numbers[key] for key in numbers}

    def look(self, db: Client, *, now: datetime) -> set[str]:
        """Take out the reservations of runs that are over: one read for each run.

        Returns:
            The paths of the runs that a process works on.
        """
        entries = self.reservations.items()
        names = sorted({each["run"] for _, each in entries if each["run"]})
        found = read_all(db, *(db.document(name) for name in names))
        runs = {name: run.to_dict() or {} for name, run in zip(names, found, strict=True)}
        for id, each in list(entries):
            is_over = runs.get(each["run"], {}).get("status") != RunStatus.RUNNING
            if not each["run"]:
                is_over = each["at"] + LONGEST_CALL < now
            if is_over:
                del self.reservations[id]
        return {name for name, run in runs.items() if is_run_alive(run)}


def reservation(amount: Amount, run: str | None, at: datetime) -> dict[str, Any]:
    """Return the entry of a run by its path, or of a call outside of runs, in its user's day."""
    return {**amount.dump("reserved"), "run": run, "at": at}


def increments(*, reserved: Amount, spent: Amount) -> dict[str, Any]:
    """Return what adds to a day's sums, in a batch that is committed at most once."""
    from google.cloud.firestore import Increment

    sums = reserved.dump("reserved") | spent.dump("spent")
    return {name: Increment(number) for name, number in sums.items()}


def used_sum(written: Any) -> Amount:
    """Return what is reserved and spent after `increments`, as the write's result says."""
    # In the order of the fields' names, of which these are the last.
    sums = [each.integer_value for each in written.transform_results][-4:]
    return Amount(sums[0] + sums[2], sums[1] + sums[3])


def read_days(db: Client, uid: str, *, since: date, until: date, now: datetime) -> list[Day]:
    """Return a user's days with a document, oldest first, without reservations of runs that are
    over."""
    # By document id, which needs no index of its own and names this user alone.
    first, last = paths.user_day(db, uid, since), paths.user_day(db, uid, until)
    query = db.collection(collection_id("budgets")).where(filter=where("__name__", ">=", first))
    found = query.where(filter=where("__name__", "<=", last)).stream()
    return [read_day(db, snapshot.to_dict() or {}, now=now) for snapshot in found]


def read_day(db: Client, data: dict[str, Any], *, now: datetime) -> Day:
    """Return the day of a document, without reservations of runs that are over."""
    day = Day.of(data, date.fromisoformat(data["day"]))
    day.look(db, now=now)
    return day


class RunBudget(Protocol):
    """What a run spends from, as the writes that open, save and end it need it; `UserBudget` of
    `agent/budget.py`."""

    def reserve_first(self, day: Day, batch: WriteBatch, id: str) -> None: ...
    def begin(self, id: str) -> None: ...
    def write(self, batch: WriteBatch, *, is_last: bool = False, is_over: bool = True) -> None: ...
    def wrote(self, written: Sequence[Any]) -> None: ...


# ---- Tenants ----
#
# A tenant's day is in shards. Each process adds what its runs reserve and settle to one shard, by
# increments in batches that they commit anyway. Once a reservation is committed, and before its
# call, all shards are summed. Of several that reserve at once the last to commit sees all others,
# so the calls that are made never cost more than the limit.

SHARDS = 64
"""As many as processes use the budget, and at most so many."""


@functools.cache
def own_shard() -> int:
    """Return the number of the shard that this process adds to."""
    return random.randrange(SHARDS)


class TenantDay(Struct, frozen=True):
    """What a tenant's users spend together in a day."""

    db: Client
    tenant: str
    day: date

    def add(self, batch: WriteBatch, *, reserved: Amount, spent: Amount = NONE) -> None:
        """Add to what is reserved and spent, in a batch that is committed at most once."""
        fields = {
            "schemaVersion": SCHEMA_VERSION,
            "tenant": self.tenant,
            "day": self.day.isoformat(),
            "expiresAt": expiry(self.day),
            **increments(reserved=reserved, spent=spent),
        }
        batch.set(paths.tenant_day(self.db, self.tenant, self.day, own_shard()), fields, merge=True)

    def sums(self) -> tuple[Amount, Amount]:
        """Return what is reserved and what is spent, in all shards."""
        # By document id, which needs no index of its own; ":" comes next after "9".
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
        """Check that what is spent and reserved is within the limit.

        Args:
            need: What the newest reservation takes.
        Raises:
            BudgetExhausted: It is not; that reservation is to be taken back.
        """
        reserved, spent = self.sums()
        if limit.allows(reserved + spent):
            return
        is_for_now = limit.allows(spent + need)
        why = "reserved by runs under way" if is_for_now else "used up"
        message = f"your organisation's budget for today is {why}"
        raise BudgetExhausted(message, is_for_now=is_for_now)
