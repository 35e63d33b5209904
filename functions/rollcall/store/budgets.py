"""What a user has spent on a day, and what is set aside for calls under way.

budgets/u{user}-{day}   uid, day, spentMicroUsd, spentTokens, models, slices, lost, draws, starts
budgets/t{tenant}-{day} tenant, day, spentMicroUsd, spentTokens, slices   (`store/shares.py`)

A run takes a slice of the user's day when it is opened, or before its first call that is paid for,
and spends from it without a write; spent and slices together never pass the limit. What was spent
of the last one stands in the run's own document (`store/settlements.py`). A slice that nobody
settled, since its process died, counts as spent in full: the call may have been made, and the
operator pays for it. A slice is a twentieth of the day, or a call's worst case if that is more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.errors import ResourceExhausted, Unavailable
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store.amounts import NONE, Amount
from rollcall.store.batches import tries
from rollcall.store.rates import Start

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference

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
        for _ in tries():
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
