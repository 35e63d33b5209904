"""A user's day: what was spent, what is reserved for runs under way, and how runs report it.

    budgets/u{user}-{day}   uid, day, spentMicroUsd, spentTokens, models, slices, lost, draws,
                            sources, starts, expiresAt
    threads/{t}/runs/{r}, threads/{t}/views/window
                            settlements: {reservation: {day, spends: [...]}}

A run reserves a part of its user's day when it is opened, or before its first call that is paid
for, and spends from it without a write; spent and reserved together never pass the limit. Stored
reservations are called `slices`. A run that ends writes its own document anyway: there it says what
was spent of its last reservation (its settlement). The day counts the reservation in full until
somebody needs to know better and looks, or until the thread's next run, which reads the view,
writes the day for a reason of its own. A run that has ended, or is gone, without a word on its
reservation has spent it in full, and so has one that says nothing until the reservation's time is
over: the call may have been made, and the operator pays for it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.errors import ResourceExhausted, Unavailable
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.core.wire import RunStatus
from rollcall.store.batches import attempts, read_all, try_commit, where
from rollcall.store.limits import NONE, Amount, Start

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference

    from rollcall.store.batches import DocumentSnapshot

KEPT_DAYS = 400
"""Then a day's document expires."""
_OF_ITS_USER = ("uid", "expiresAt")

Settlements = Mapping[str, Any]
"""What a run says it spent, by reservation: `{day, spends}`."""


def budget_key(text: str) -> str:
    """Return a user's or tenant's part of a document id; they may hold any character, ids not."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def user_day(db: Client, uid: str, day: date) -> DocumentReference:
    """Return the document of a user's day."""
    return db.document(f"{collection_id('budgets')}/u{budget_key(uid)}-{day.isoformat()}")


class DayReservation(Struct, frozen=True):
    """A part of a day that is reserved until a time.

    Attributes:
        source: The tenant's reservation that it is taken from (`tenant_budgets`).
        run: The path of the run's document that will say what was spent of it; None where it is
            settled in the day itself.
    """

    amount: Amount
    until: datetime
    source: str | None = None
    run: str | None = None

    @staticmethod
    def of(data: dict[str, Any]) -> DayReservation:
        return DayReservation(Amount.of(data), data["until"], data.get("source"), data.get("run"))

    def dump(self) -> dict[str, Any]:
        own = {"until": self.until, "source": self.source, "run": self.run}
        return {**self.amount.dump(), **own}


class Spend(Struct, frozen=True):
    """What one call cost. `is_priced` is False where the model's price is not known."""

    model_id: str
    amount: Amount
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    is_priced: bool = True

    @staticmethod
    def of(data: dict[str, Any]) -> Spend:
        return Spend(
            data["model"],
            Amount.of(data),
            input_tokens=data["inputTokens"],
            cached_input_tokens=data["cachedInputTokens"],
            output_tokens=data["outputTokens"],
            is_priced=data["isPriced"],
        )

    def dump(self) -> dict[str, Any]:
        return {
            "model": self.model_id,
            **self.amount.dump(),
            "inputTokens": self.input_tokens,
            "cachedInputTokens": self.cached_input_tokens,
            "outputTokens": self.output_tokens,
            "isPriced": self.is_priced,
        }


class Day(Struct):
    """A user's day.

    Attributes:
        reservations: By id; those that are not settled.
        models: Sums of calls, tokens and cost by model.
        draws: What was spent from which of the tenant's reservations.
        lost: Reservations that nobody settled in time; they are part of `spent`.
        starts: Runs that were opened in the last minutes, by their keys.
    """

    uid: str
    day: date
    spent: Amount = NONE
    reservations: dict[str, DayReservation] = field(default_factory=dict)
    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    draws: dict[str, Amount] = field(default_factory=dict)
    lost: dict[str, Amount] = field(default_factory=dict)
    starts: dict[str, Start] = field(default_factory=dict)

    @staticmethod
    def of(data: dict[str, Any] | None, *, uid: str, day: date) -> Day:
        if data is None:
            return Day(uid, day)
        return Day(
            uid=uid,
            day=day,
            spent=Amount(data["spentMicroUsd"], data["spentTokens"]),
            reservations={id: DayReservation.of(found) for id, found in data["slices"].items()},
            models={id: dict(found) for id, found in data["models"].items()},
            draws={id: Amount.of(found) for id, found in data["draws"].items()},
            lost={id: Amount.of(found) for id, found in data["lost"].items()},
            starts={key: Start.of(found) for key, found in data.get("starts", {}).items()},
        )

    def dump(self) -> dict[str, Any]:
        sources = {found.source for found in self.reservations.values() if found.source}
        return {
            "schemaVersion": SCHEMA_VERSION,
            "uid": self.uid,
            "day": self.day.isoformat(),
            "spentMicroUsd": self.spent.micro_usd,
            "spentTokens": self.spent.tokens,
            "lost": {id: found.dump() for id, found in self.lost.items()},
            "slices": {id: found.dump() for id, found in self.reservations.items()},
            "models": self.models,
            "draws": {id: found.dump() for id, found in self.draws.items()},
            "starts": {key: found.dump() for key, found in self.starts.items()},
            "sources": sorted(sources | self.draws.keys()),
            "expiresAt": expiry(self.day),
        }

    def dump_over(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the document `data` with this day's numbers. An erased user's day names nobody and
        is kept for less long: that stays so."""
        fields = self.dump().items()
        return {**data, **{name: each for name, each in fields if name not in _OF_ITS_USER}}

    @property
    def reserved(self) -> Amount:
        return sum((found.amount for found in self.reservations.values()), NONE)

    @property
    def used(self) -> Amount:
        """Spent or reserved: what a limit is compared with."""
        return self.spent + self.reserved

    def from_source(self, source: str) -> Amount:
        """Return what the user has of a tenant's reservation, spent or reserved."""
        own = [each.amount for each in self.reservations.values() if each.source == source]
        return sum(own, self.draws.get(source, NONE))

    def settle(self, id: str, reserved: DayReservation | None, spends: list[Spend]) -> None:
        """Put what was spent in the place of a reservation.

        Args:
            reserved: The reservation, as far as there was any.
        """
        self.reservations.pop(id, None)
        # Where its time was over before, it was counted in full.
        total = sum((spend.amount for spend in spends), NONE) - self.lost.pop(id, NONE)
        self._count(total, reserved.source if reserved else None)
        for spend in spends:
            model = self.models.setdefault(spend.model_id, {})
            added = {
                "calls": 1,
                "inputTokens": spend.input_tokens,
                "cachedInputTokens": spend.cached_input_tokens,
                "outputTokens": spend.output_tokens,
                "microUsd": spend.amount.micro_usd,
                "unpricedCalls": int(not spend.is_priced),
            }
            for name, number in added.items():
                model[name] = model.get(name, 0) + number

    def apply_settlements(self, said: Settlements) -> None:
        """Settle what a run says it spent, as far as the day still waits for it."""
        for id in said.keys() & self.reservations.keys():
            spends = [Spend.of(each) for each in said[id]["spends"]]
            self.settle(id, self.reservations[id], spends)

    def count_expired(self, now: datetime) -> None:
        """Count as spent what nobody settled in time; of a run's reservation its run may know
        better."""
        for id, found in list(self.reservations.items()):
            if found.run is None and found.until < now:
                self.lose(id)

    def lose(self, id: str) -> None:
        """Count a reservation that nobody settled as spent."""
        found = self.reservations.pop(id)
        self.lost[id] = found.amount
        self._count(found.amount, found.source)

    def _count(self, amount: Amount, source: str | None) -> None:
        self.spent += amount
        if source is not None and amount != NONE:
            self.draws[source] = self.draws.get(source, NONE) + amount


def expiry(day: date) -> datetime:
    """Return when a day's document expires."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=KEPT_DAYS)


def until_tomorrow_s(now: datetime) -> int:
    """Return the seconds until the next UTC day, when budgets renew."""
    tomorrow = now.astimezone(UTC).date() + timedelta(days=1)
    return max(1, int((datetime(*tomorrow.timetuple()[:3], tzinfo=UTC) - now).total_seconds()) + 1)


class LimitReached(ResourceExhausted):
    """A day's limit does not allow it."""


class Known(Struct, frozen=True):
    """A document as it was last seen; `update_time` is None where there was none."""

    data: dict[str, Any] | None
    update_time: Any = None


def read(reference: DocumentReference) -> Known:
    """Read a document."""
    snapshot = reference.get()
    return Known(snapshot.to_dict(), snapshot.update_time) if snapshot.exists else Known(None)


def change(
    db: Client,
    reference: DocumentReference,
    apply: Callable[[dict[str, Any] | None], dict[str, Any] | None],
    known: Known | None = None,
) -> Known:
    """Write what `apply` makes of a document, provided that nobody else wrote it in between.

    Args:
        apply: Returns the whole new document, or None to leave it. Called again after a lost race;
            what it refuses on the strength of `known` alone it is asked again after a fresh look.
    Raises:
        ResourceExhausted: `apply` refuses.
        Unavailable: Firestore cannot be reached, or every race was lost.
    """
    from google.api_core.exceptions import GoogleAPICallError

    try:
        for _ in attempts():
            seen = known or read(reference)
            try:
                data = apply(seen.data)
            except ResourceExhausted:
                if known is None:
                    raise
                known = None
                continue
            if data is None:
                return seen
            batch = db.batch()
            if seen.data is None:
                batch.create(reference, data)
            else:
                option = db.write_option(last_update_time=seen.update_time)
                batch.update(reference, data, option=option)
            if (written := try_commit(batch)) is not None:
                return Known(data, written[0].update_time)
            known = None
    except GoogleAPICallError as error:
        raise Unavailable(f"the budget could not be read or written: {error}") from error
    raise Unavailable("too many calls are being paid for at once; try again", retry_after_s=1)


# ---- Settlements ----


def settlement(id: str, day: date, spends: Iterable[Spend]) -> Settlements:
    """Return what a run says that has spent this of a reservation."""
    return {id: {"day": day.isoformat(), "spends": [spend.dump() for spend in spends]}}


def settlements_of(view: DocumentSnapshot) -> Settlements:
    """Return what the run said that left a thread's view."""
    return (view.to_dict() or {}).get("settlements") or {}


def settle_from_runs(db: Client, day: Day, *, now: datetime) -> None:
    """Settle what runs have said of their reservations: one read for each of these runs."""
    waiting = {id: found.run for id, found in day.reservations.items() if found.run}
    paths = sorted(set(waiting.values()))
    found = read_all(db, *(db.document(path) for path in paths))
    runs = {path: run.to_dict() for path, run in zip(paths, found, strict=True)}
    for id, path in waiting.items():
        run = runs[path]
        day.apply_settlements((run or {}).get("settlements") or {})
        has_ended = run is None or run["status"] != RunStatus.RUNNING
        if id in day.reservations and (has_ended or day.reservations[id].until < now):
            day.lose(id)


def settle_day(
    db: Client, reference: DocumentReference, *, now: datetime, known: Known | None = None
) -> Day | None:
    """Return a user's day in settled numbers; None where it has no document. What was found out is
    written, so that nobody has to look for it again.

    Args:
        known: The document, if it was read a moment ago.
    Raises:
        Unavailable: Firestore cannot be reached.
    """

    def apply(data: dict[str, Any] | None) -> dict[str, Any] | None:
        if data is None:
            return None
        day = _read_day(data)
        settle_from_runs(db, day, now=now)
        day.count_expired(now)
        return None if day.reservations.keys() == data["slices"].keys() else day.dump_over(data)

    found = change(db, reference, apply, known).data
    return None if found is None else _read_day(found)


def read_days(db: Client, uid: str, *, since: date, until: date, now: datetime) -> list[Day]:
    """Return a user's days with a document, oldest first, in settled numbers."""
    # By document id, which needs no index of its own and names this user alone.
    first, last = user_day(db, uid, since), user_day(db, uid, until)
    query = db.collection(collection_id("budgets")).where(filter=where("__name__", ">=", first))
    found = query.where(filter=where("__name__", "<=", last)).stream()
    return [settled(db, snapshot, now=now) for snapshot in found]


def settled(db: Client, snapshot: DocumentSnapshot, *, now: datetime) -> Day:
    """Return a user's day that was just read, in settled numbers."""
    known = Known(snapshot.to_dict(), snapshot.update_time)
    day = settle_day(db, snapshot.reference, now=now, known=known)
    return day or _read_day(snapshot.to_dict() or {})  # it was erased meanwhile


def settle_runs(db: Client, runs: Iterable[DocumentSnapshot], *, now: datetime) -> None:
    """Settle what these runs say of their reservations, before their documents are deleted.

    Raises:
        Unavailable: Firestore cannot be reached.
    """
    days: dict[str, DocumentReference] = {}
    for run in runs:
        data = run.to_dict() or {}
        for said in (data.get("settlements") or {}).values():
            reference = user_day(db, data["uid"], date.fromisoformat(said["day"]))
            days[reference.path] = reference
    for reference in days.values():
        settle_day(db, reference, now=now)


def _read_day(data: dict[str, Any]) -> Day:
    return Day.of(data, uid=data.get("uid", ""), day=date.fromisoformat(data["day"]))
