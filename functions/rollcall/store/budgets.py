"""Days of users and tenants: what was spent, and what is reserved for runs under way.

    budgets/u{user}-{day}         uid, day, spentMicroUsd, spentTokens, reservedMicroUsd,
                                  reservedTokens, reservations: {id: {microUsd, tokens, run, at}},
                                  models, lost, starts, expiresAt
    budgets/t{tenant}-{day}-{n}   tenant, day, reservedMicroUsd, reservedTokens, spentMicroUsd,
                                  spentTokens, expiresAt

The worst case of a model call is reserved before the call and its cost settled after it; spent and
reserved together never pass the limit (docs/decisions/16-budgets.md). A reservation is made by a
write that insists on the day as it was read, or by increments whose answer is checked before the
call. What a process that died had reserved stays reserved, which limits count as they count what
was spent, until somebody looks and moves it to `lost`.
"""

from __future__ import annotations

import functools
import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from rollcall.core.errors import ResourceExhausted, Unavailable
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.core.wire import RunStatus
from rollcall.store.batches import attempts, read_all, try_commit, where, write_unchanged
from rollcall.store.limits import NONE, Amount, TenantLimits
from rollcall.store.run_closing import is_run_alive

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

    from rollcall.store.batches import DocumentSnapshot

KEPT_DAYS = 400
"""Then a day's document expires."""
LONGEST_CALL = timedelta(hours=1)
"""A reservation outside of a run that is older than this was left by a process that died."""
RESERVED_RETRY_S = 5
"""When a call may be tried again that others' reservations are in the way of."""


def budget_key(text: str) -> str:
    """Return a user's or tenant's part of a document id; they may hold any character, ids not."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def user_day(db: Client, uid: str, day: date) -> DocumentReference:
    """Return the document of a user's day."""
    return db.document(f"{collection_id('budgets')}/u{budget_key(uid)}-{day.isoformat()}")


def expiry(day: date) -> datetime:
    """Return when a day's document expires."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=KEPT_DAYS)


def until_tomorrow_s(now: datetime) -> int:
    """Return the seconds until the next UTC day, when budgets renew."""
    tomorrow = now.astimezone(UTC).date() + timedelta(days=1)
    return max(1, int((datetime(*tomorrow.timetuple()[:3], tzinfo=UTC) - now).total_seconds()) + 1)


class BudgetExhausted(ResourceExhausted):
    """The budget of the user or of the tenant is used up: no model may be called now.

    Attributes:
        is_for_now: Whether reservations of others alone are in the way, of calls that may cost
            less.
    """

    def __init__(self, message: str, *, is_for_now: bool = False) -> None:
        hint, retry_after_s = "it renews at 00:00 UTC", until_tomorrow_s(datetime.now(UTC))
        if is_for_now:
            hint, retry_after_s = "wait until a run under way has ended", RESERVED_RETRY_S
        super().__init__(message, hint=hint, retry_after_s=retry_after_s)
        self.is_for_now = is_for_now


class RunBudget(Protocol):
    """The budget that a run spends from, as the run's own writes need it."""

    def reserve_first(self, day: Day, batch: WriteBatch, id: str) -> None:
        """Reserve the first call in a day that the batch writes, under this id: once for each try,
        of which the last one counts."""

    def begin(self, id: str) -> None:
        """Begin with what the opening has reserved under this id."""

    def write(self, batch: WriteBatch, *, is_last: bool = False, is_over: bool = True) -> None:
        """Add to a save what calls cost, and what the next one is to reserve; after the last, this
        process makes none. A run that is not over then stays entered in the user's day."""

    def wrote(self, written: Sequence[Any]) -> None:
        """Note that the save is committed, with these results; none where the answer was lost."""


class DayReservation(Struct, frozen=True):
    """A part of a day that is reserved, or the entry of a run that has reserved nothing.

    Attributes:
        run: The path of the run's document; None for a call outside of a run.
        at: When the run was opened, or the call reserved.
        save: Marks the write that made it, whose answer may be lost.
    """

    amount: Amount
    run: str | None = None
    at: datetime | None = None
    save: str = ""

    @staticmethod
    def of(data: dict[str, Any]) -> DayReservation:
        more = (data.get("run"), data.get("at"), data.get("save", ""))
        return DayReservation(Amount.of(data), *more)

    def dump(self) -> dict[str, Any]:
        return {**self.amount.dump(), "run": self.run, "at": self.at, "save": self.save}


class Spend(Struct, frozen=True):
    """What calls of a model used and cost.

    Attributes:
        counts: By their names in the document: calls, inputTokens, cachedInputTokens, outputTokens,
            unpricedCalls (whose price is not known), estimatedCalls (whose provider said nothing
            believable of it).
    """

    model_id: str
    amount: Amount
    counts: dict[str, int]


class Day(Struct):
    """A user's day, as its document has it.

    Attributes:
        uid: None once the user's data was erased.
        reservations: By id.
        models: Sums of counts and cost by model.
        lost: Reservations of runs that ended without settling them; part of `spent`.
        starts: Runs that were opened in the last minutes, by their keys (`admission`).
    """

    uid: str | None
    day: date
    spent: Amount = NONE
    reservations: dict[str, DayReservation] = field(default_factory=dict)
    models: dict[str, dict[str, int]] = field(default_factory=dict)
    lost: dict[str, Amount] = field(default_factory=dict)
    starts: dict[str, dict[str, Any]] = field(default_factory=dict)

    @staticmethod
    def of(data: dict[str, Any] | None, *, uid: str, day: date) -> Day:
        if data is None:
            return Day(uid, day)
        reserved = {**data.get("slices", {}), **data.get("reservations", {})}  # the name before
        return Day(
            uid=data.get("uid"),
            day=day,
            spent=Amount(data.get("spentMicroUsd", 0), data.get("spentTokens", 0)),
            reservations={id: DayReservation.of(each) for id, each in reserved.items()},
            models={id: dict(each) for id, each in data.get("models", {}).items()},
            lost={id: Amount.of(each) for id, each in data.get("lost", {}).items()},
            starts=dict(data.get("starts", {})),
        )

    def dump(self) -> dict[str, Any]:
        """Return the document's fields; those of a nameless day leave its name and its expiry."""
        named = {"uid": self.uid, "expiresAt": expiry(self.day)} if self.uid is not None else {}
        return {
            **named,
            "schemaVersion": SCHEMA_VERSION,
            "day": self.day.isoformat(),
            "spentMicroUsd": self.spent.micro_usd,
            "spentTokens": self.spent.tokens,
            "reservedMicroUsd": self.reserved.micro_usd,
            "reservedTokens": self.reserved.tokens,
            "reservations": {id: each.dump() for id, each in self.reservations.items()},
            "slices": {},
            "models": self.models,
            "lost": {id: each.dump() for id, each in self.lost.items()},
            "starts": self.starts,
        }

    @property
    def reserved(self) -> Amount:
        return sum((each.amount for each in self.reservations.values()), NONE)

    @property
    def used(self) -> Amount:
        """Spent or reserved: what a limit is compared with."""
        return self.spent + self.reserved

    def settle(self, id: str, spends: Iterable[Spend]) -> None:
        """Put what was spent in the place of a reservation, also of one that counts as lost."""
        self.reservations.pop(id, None)
        self.spent -= self.lost.pop(id, NONE)
        for spend in spends:
            self.spent += spend.amount
            sums = self.models.setdefault(spend.model_id, {})
            for name, number in {**spend.counts, "microUsd": spend.amount.micro_usd}.items():
                sums[name] = sums.get(name, 0) + number

    def lose(self, id: str) -> None:
        """Count a reservation that nobody settles any more as spent."""
        amount = self.reservations.pop(id).amount
        if amount != NONE:
            self.lost[id] = amount
            self.spent += amount

    def look(self, db: Client, *, now: datetime) -> set[str]:
        """Take out the reservations of runs that are over: one read for each run.

        Returns:
            The paths of the runs that a process works on.
        """
        paths = sorted({each.run for each in self.reservations.values() if each.run})
        found = read_all(db, *(db.document(path) for path in paths))
        runs = {path: run.to_dict() or {} for path, run in zip(paths, found, strict=True)}
        for id, each in list(self.reservations.items()):
            run = runs.get(each.run or "", {})
            is_over = run.get("status") != RunStatus.RUNNING
            if each.run is None and each.at is not None:
                is_over = each.at + LONGEST_CALL < now
            if is_over:
                self.lose(id)
        return {path for path, run in runs.items() if is_run_alive(run)}


def add_settlement(
    batch: WriteBatch,
    reference: DocumentReference,
    id: str,
    *,
    before: Amount,
    after: DayReservation | None,
    spends: Iterable[Spend],
) -> None:
    """Settle calls by increments, in a batch that is committed at most once.

    Args:
        before: What the reservation is now.
        after: What is reserved from then on; None takes the entry out.
    """
    from google.cloud.firestore import DELETE_FIELD, Increment

    sums = Day(None, date.min)
    sums.settle(id, spends)
    fields: dict[str, Any] = {
        "reservations": {id: DELETE_FIELD if after is None else after.dump()},
        **increments("reserved", (after.amount if after else NONE) - before),
        **increments("spent", sums.spent),
    }
    if sums.models:
        fields["models"] = {
            model: {name: Increment(number) for name, number in each.items()}
            for model, each in sums.models.items()
        }
    batch.set(reference, fields, merge=True)


def increments(name: str, amount: Amount) -> dict[str, Any]:
    """Return what adds an amount to its fields; a commit answers with the sums (`used_sum`)."""
    from google.cloud.firestore import Increment

    both = {"MicroUsd": amount.micro_usd, "Tokens": amount.tokens}
    return {f"{name}{unit}": Increment(number) for unit, number in both.items()}


def used_sum(written: Any) -> Amount:
    """Return what is reserved and spent after an `add_settlement`, as its write result says."""
    # In the order of the fields' names, of which these are the last.
    sums = [each.integer_value for each in written.transform_results][-4:]
    return Amount(sums[0] + sums[2], sums[1] + sums[3])


def change(
    db: Client,
    reference: DocumentReference,
    apply: Callable[[dict[str, Any] | None], dict[str, Any] | None],
    *,
    beside: Callable[[WriteBatch], None] = lambda batch: None,
) -> None:
    """Write what `apply` makes of a document, provided that nobody else wrote it in between.

    Args:
        apply: Returns the fields to write, or None to leave the document. Called again after a lost
            race, and after a lost answer: then it may find its own write.
        beside: Adds further writes to the batch.
    Raises:
        ResourceExhausted: `apply` refuses.
        Unavailable: Firestore cannot be reached, or every race was lost.
    """
    from google.api_core.exceptions import GoogleAPICallError, RetryError

    failures: list[Exception] = []
    for _ in attempts():
        try:
            snapshot = reference.get()
            if (data := apply(snapshot.to_dict())) is None:
                return
            batch = db.batch()
            write_unchanged(batch, snapshot, data)
            beside(batch)
            if try_commit(batch) is not None:
                return
        except (GoogleAPICallError, RetryError) as error:
            failures.append(error)
            if len(failures) > 1:
                break
    if failures:
        message = f"the budget could not be read or written: {failures[-1]}"
        raise Unavailable(message) from failures[-1]
    raise Unavailable("too many calls are being paid for at once; try again", retry_after_s=1)


def settle_day(db: Client, reference: DocumentReference, *, now: datetime) -> Day | None:
    """Return a user's day without reservations of runs that are over; None where it has no
    document. What was found out is written.

    Raises:
        Unavailable: Firestore cannot be reached.
    """
    day: Day | None = None

    def apply(data: dict[str, Any] | None) -> dict[str, Any] | None:
        nonlocal day
        day = None if data is None else read_day(data)
        if day is None or day.reserved == NONE:
            return None
        before = dict(day.reservations)
        day.look(db, now=now)
        return None if day.reservations == before else day.dump()

    change(db, reference, apply)
    return day


def settled(db: Client, snapshot: DocumentSnapshot, *, now: datetime) -> Day:
    """Return a user's day that was just read, in settled numbers."""
    day = read_day(snapshot.to_dict() or {})
    if day.reserved == NONE:
        return day
    return settle_day(db, snapshot.reference, now=now) or day  # it was erased meanwhile


def read_days(db: Client, uid: str, *, since: date, until: date, now: datetime) -> list[Day]:
    """Return a user's days with a document, oldest first, in settled numbers."""
    # By document id, which needs no index of its own and names this user alone.
    first, last = user_day(db, uid, since), user_day(db, uid, until)
    query = db.collection(collection_id("budgets")).where(filter=where("__name__", ">=", first))
    found = query.where(filter=where("__name__", "<=", last)).stream()
    return [settled(db, snapshot, now=now) for snapshot in found]


def read_day(data: dict[str, Any]) -> Day:
    """Read the document of a user's day."""
    return Day.of(data, uid="", day=date.fromisoformat(data["day"]))


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
            **increments("reserved", reserved),
            **increments("spent", spent),
        }
        batch.set(self.db.document(f"{self._path}-{own_shard()}"), fields, merge=True)

    def sums(self) -> tuple[Amount, Amount]:
        """Return what is reserved and what is spent, in all shards."""
        # By document id, which needs no index of its own; "." comes next after "-".
        first, end = (self.db.document(self._path + each) for each in "-.")
        budgets = self.db.collection(collection_id("budgets"))
        query = budgets.where(filter=where("__name__", ">=", first))
        reserved = spent = NONE
        for shard in query.where(filter=where("__name__", "<", end)).stream():
            sums = shard.to_dict() or {}
            reserved += Amount(sums["reservedMicroUsd"], sums["reservedTokens"])
            spent += Amount(sums["spentMicroUsd"], sums["spentTokens"])
        return reserved, spent

    def check(self, limit: TenantLimits, need: Amount) -> None:
        """Check that what is spent and reserved is within the limit.

        Args:
            need: What the newest reservation takes.
        Raises:
            BudgetExhausted: It is not; that reservation is to be taken back.
            Unavailable: Firestore cannot be reached.
        """
        from google.api_core.exceptions import GoogleAPICallError, RetryError

        try:
            reserved, spent = self.sums()
        except (GoogleAPICallError, RetryError) as error:
            raise Unavailable(f"the tenant's budget could not be read: {error}") from error
        if limit.allows(reserved + spent):
            return
        why, is_for_now = "used up; it renews at 00:00 UTC", limit.allows(spent + need)
        if is_for_now:
            why = "reserved by runs under way; try again when one of them has ended"
        message = f"your organisation's budget for today is {why}"
        raise BudgetExhausted(message, is_for_now=is_for_now)

    @property
    def _path(self) -> str:
        name = f"t{budget_key(self.tenant)}-{self.day.isoformat()}"
        return f"{collection_id('budgets')}/{name}"
