"""What a user has spent on a day, and what is set aside for calls under way.

budgets/u{user}-{day}   uid, day, spentMicroUsd, spentTokens, models, slices, lost, draws, starts
budgets/t{tenant}-{day} tenant, day, spentMicroUsd, spentTokens, slices   (`store/shares.py`)

A run takes a slice of the user's day when it is opened, or before its first call that is paid for,
and spends from it without a write; spent and slices together never pass the limit. What was spent
of the last one stands in the run's own document (`store/settlements.py`). A slice that nobody
settled, since its process died, counts as spent in full: the call may have been made, and the
operator pays for it. A slice is a twentieth of the day, or a call's worst case if that is more.

What runs say of their slices when they end, and how a day gets to know it.

threads/{t}/runs/{r}       settlements: {slice: {day, spends: [...]}}
threads/{t}/views/window   settlements, of the run that left the view

A run that ends writes its own document anyway: there it leaves what was spent of its last slice.
The day goes on counting the slice in full until somebody needs to know better, and looks; or until
the thread's next run, which reads the view, writes the day for a reason of its own. A run that has
ended, or is gone, without a word on its slice has spent it in full, and so has one that says
nothing until the slice's time is over.
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
from rollcall.store.batches import attempts
from rollcall.store.limits import NONE, Amount, Start

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]


KEPT_DAYS = 400
"""Then a day's document expires."""
_OF_ITS_USER = ("uid", "expiresAt")


def key(text: str) -> str:
    """A user's or tenant's part of a document id; they may hold any character, ids may not."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def user_day(db: Client, uid: str, day: date) -> DocumentReference:
    return db.document(f"{collection_id('budgets')}/u{key(uid)}-{day.isoformat()}")


class Slice(Struct, frozen=True):
    """What is set aside for somebody until a time.

    Attributes:
        source: The tenant's slice it is from.
        run: The path of the run's document that will say what was spent of it; None where it is
            settled in the day itself.
    """

    amount: Amount
    until: datetime
    source: str | None = None
    run: str | None = None

    @staticmethod
    def of(data: dict[str, Any]) -> Slice:
        return Slice(Amount.of(data), data["until"], data.get("source"), data.get("run"))

    def dump(self) -> dict[str, Any]:
        own = {"until": self.until, "source": self.source, "run": self.run}
        return {**self.amount.dump(), **own}


class Spend(Struct, frozen=True):
    """One call that was paid for. `is_priced` is False where nobody knows the model's price."""

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
    """A user's day, as its document tells it."""

    uid: str
    day: date
    spent: Amount = NONE
    slices: dict[str, Slice] = field(default_factory=dict)
    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    draws: dict[str, Amount] = field(default_factory=dict)
    """What was spent from which slice of the tenant's."""
    lost: dict[str, Amount] = field(default_factory=dict)
    """Slices that nobody settled in time; they are part of `spent`."""
    starts: dict[str, Start] = field(default_factory=dict)
    """Runs that were opened in the last minutes, by their keys."""

    @staticmethod
    def of(data: dict[str, Any] | None, *, uid: str, day: date) -> Day:
        if data is None:
            return Day(uid, day)
        return Day(
            uid=uid,
            day=day,
            spent=Amount(data["spentMicroUsd"], data["spentTokens"]),
            slices={id: Slice.of(found) for id, found in data["slices"].items()},
            models={id: dict(found) for id, found in data["models"].items()},
            draws={id: Amount.of(found) for id, found in data["draws"].items()},
            lost={id: Amount.of(found) for id, found in data["lost"].items()},
            starts={key: Start.of(found) for key, found in data.get("starts", {}).items()},
        )

    def dump(self) -> dict[str, Any]:
        sources = {found.source for found in self.slices.values() if found.source}
        return {
            "schemaVersion": SCHEMA_VERSION,
            "uid": self.uid,
            "day": self.day.isoformat(),
            "spentMicroUsd": self.spent.micro_usd,
            "spentTokens": self.spent.tokens,
            "lost": {id: found.dump() for id, found in self.lost.items()},
            "slices": {id: found.dump() for id, found in self.slices.items()},
            "models": self.models,
            "draws": {id: found.dump() for id, found in self.draws.items()},
            "starts": {key: found.dump() for key, found in self.starts.items()},
            "sources": sorted(sources | self.draws.keys()),
            "expiresAt": expiry(self.day),
        }

    def dump_over(self, data: dict[str, Any]) -> dict[str, Any]:
        """The document as it is where this day is only settled. Of an erased user's nobody's name
        is there, and it is kept for less long: that stays so."""
        fields = self.dump().items()
        return {**data, **{name: each for name, each in fields if name not in _OF_ITS_USER}}

    @property
    def reserved(self) -> Amount:
        return sum((found.amount for found in self.slices.values()), NONE)

    @property
    def used(self) -> Amount:
        """Spent or set aside: what a limit is compared with."""
        return self.spent + self.reserved

    def from_source(self, source: str) -> Amount:
        """What the user has of a tenant's slice, spent or set aside."""
        held = [found.amount for found in self.slices.values() if found.source == source]
        return sum(held, self.draws.get(source, NONE))

    def settle(self, slice_id: str, held: Slice | None, spends: list[Spend]) -> None:
        """Put what was spent in the place of the slice, as far as it was `held` at all."""
        total = sum((spend.amount for spend in spends), NONE)
        source = held.source if held else None
        self.slices.pop(slice_id, None)
        # Where its time was over before, it was counted in full.
        self._count(total - self.lost.pop(slice_id, NONE), source)
        for spend in spends:
            _add_up(self.models.setdefault(spend.model_id, {}), spend)

    def count_expired(self, now: datetime) -> None:
        """What nobody settled in time counts as spent; of a run's slice its run may know better."""
        for id, found in list(self.slices.items()):
            if found.run is None and found.until < now:
                self.lose(id)

    def lose(self, slice_id: str) -> None:
        """A slice that nobody settled counts as spent."""
        found = self.slices.pop(slice_id)
        self.lost[slice_id] = found.amount
        self._count(found.amount, found.source)

    def _count(self, amount: Amount, source: str | None) -> None:
        self.spent += amount
        if source is not None and amount != NONE:
            self.draws[source] = self.draws.get(source, NONE) + amount


def _add_up(model: dict[str, Any], spend: Spend) -> None:
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


def expiry(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=KEPT_DAYS)


def until_tomorrow_s(now: datetime) -> int:
    """Seconds until the next UTC day, when budgets renew."""
    tomorrow = now.astimezone(UTC).date() + timedelta(days=1)
    return max(1, int((datetime(*tomorrow.timetuple()[:3], tzinfo=UTC) - now).total_seconds()) + 1)


class Known(Struct, frozen=True):
    """A document as somebody last saw it; `update_time` is None where there was none."""

    data: dict[str, Any] | None
    update_time: Any = None


def change(
    db: Client,
    reference: DocumentReference,
    apply: Callable[[dict[str, Any] | None], dict[str, Any] | None],
    known: Known | None = None,
) -> Known:
    """Write what `apply` makes of the document, provided nobody else wrote it in between.

    Args:
        apply: Gives the whole new document, or None to leave it. Called again after a lost race;
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
            written = _write(db, reference, data, seen)
            if written is not None:
                return written
            known = None
    except GoogleAPICallError as error:
        raise Unavailable(f"the budget could not be read or written: {error}") from error
    raise Unavailable("too many calls are being paid for at once; try again", retry_after_s=1)


def read(reference: DocumentReference) -> Known:
    snapshot = reference.get()
    if not snapshot.exists:
        return Known(None)
    return Known(snapshot.to_dict(), snapshot.update_time)


def _write(
    db: Client, reference: DocumentReference, data: dict[str, Any], seen: Known
) -> Known | None:
    """Write once; None where somebody was faster."""
    from google.api_core.exceptions import Conflict
    from google.api_core.exceptions import FailedPrecondition as Moved
    from google.api_core.exceptions import NotFound as Gone

    try:
        if seen.data is None:
            result = reference.create(data)
        else:
            option = db.write_option(last_update_time=seen.update_time)
            result = reference.update(data, option=option)
    except (Conflict, Moved, Gone):
        return None
    return Known(data, result.update_time)


class Refused(ResourceExhausted):
    """A day's limit does not allow it."""


Settlements = Mapping[str, Any]
"""What a run says, by slice."""


def settlement(slice_id: str, day: date, spends: Iterable[Spend]) -> Settlements:
    """What a run says that has spent this of a slice."""
    spent = [spend.dump() for spend in spends]
    return {slice_id: {"day": day.isoformat(), "spends": spent}}


def settlements_of(view: DocumentSnapshot) -> Settlements:
    """What the run said that left a thread's view."""
    return (view.to_dict() or {}).get("settlements") or {}


def settle_said(day: Day, said: Settlements) -> None:
    """Settle what a run has said, as far as the day still waits for it."""
    for id in said.keys() & day.slices.keys():
        day.settle(id, day.slices[id], [Spend.of(each) for each in said[id]["spends"]])


def look_up(db: Client, day: Day, *, now: datetime) -> None:
    """Settle what runs have said of their slices: one read for each of these runs."""
    waiting = {id: found.run for id, found in day.slices.items() if found.run}
    if not waiting:
        return
    references = [db.document(path) for path in sorted(set(waiting.values()))]
    runs = {run.reference.path: run.to_dict() for run in db.get_all(references)}
    for id, path in waiting.items():
        settle_said(day, (runs[path] or {}).get("settlements") or {})
        if id in day.slices and (_has_ended(runs[path]) or day.slices[id].until < now):
            day.lose(id)


def settle_day(
    db: Client, reference: DocumentReference, *, now: datetime, known: Known | None = None
) -> Day | None:
    """A user's day in settled numbers; None where it has no document. What was found out is
    written, so that nobody has to look for it again.

    Args:
        known: The document, if it was read a moment ago.
    Raises:
        Unavailable: Firestore cannot be reached.
    """

    def apply(data: dict[str, Any] | None) -> dict[str, Any] | None:
        if data is None:
            return None
        day = _day_of(data)
        look_up(db, day, now=now)
        day.count_expired(now)
        if day.slices.keys() == data["slices"].keys():
            return None
        return day.dump_over(data)

    found = change(db, reference, apply, known).data
    return None if found is None else _day_of(found)


def days_of(db: Client, uid: str, *, since: date, until: date, now: datetime) -> list[Day]:
    """A user's days with a document, from `since` to `until`, oldest first, in settled numbers."""
    from google.cloud.firestore import FieldFilter

    # By document id, which needs no index of its own and names this user alone.
    first, last = user_day(db, uid, since), user_day(db, uid, until)
    found = (
        db.collection(collection_id("budgets"))
        .where(filter=FieldFilter("__name__", ">=", first))
        .where(filter=FieldFilter("__name__", "<=", last))
        .stream()
    )
    return [settled(db, snapshot, now=now) for snapshot in found]


def settled(db: Client, snapshot: DocumentSnapshot, *, now: datetime) -> Day:
    """A user's day that was just read, in settled numbers."""
    known = Known(snapshot.to_dict(), snapshot.update_time)
    day = settle_day(db, snapshot.reference, now=now, known=known)
    return day or _day_of(snapshot.to_dict() or {})  # it was erased meanwhile


def settle_runs(db: Client, runs: Iterable[DocumentSnapshot], *, now: datetime) -> None:
    """Settle what these runs say of their slices, before their documents are deleted.

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


def _day_of(data: dict[str, Any]) -> Day:
    return Day.of(data, uid=data.get("uid", ""), day=date.fromisoformat(data["day"]))


def _has_ended(run: dict[str, Any] | None) -> bool:
    return run is None or run["status"] != RunStatus.RUNNING
