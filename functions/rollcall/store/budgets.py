"""What a user has spent on a day, and what is set aside for calls under way.

budgets/u{user}-{day}   uid, day, spentMicroUsd, spentTokens, models, slices, lost, draws
budgets/t{tenant}-{day} tenant, day, spentMicroUsd, spentTokens, slices   (`store/shares.py`)
budgets/r{user}-{cell}  uid, starts                                       (`store/rates.py`)

A run takes a slice of the user's day before its first call and spends from it without a write;
spent and slices together never pass the limit. A slice that nobody settled, since its process
died, counts as spent in full once its time is over: the call may have been made, and the
operator pays for it. It is a call's worst case or a twentieth of the day, whichever is more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.core.errors import ResourceExhausted, Unavailable
from rollcall.core.wire import SCHEMA_VERSION
from rollcall.store.amounts import NONE, Amount
from rollcall.store.batches import tries
from rollcall.store.limits import COLLECTION

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference

KEPT_DAYS = 400
"""Then a day's document expires."""


def key(text: str) -> str:
    """A user's or tenant's part of a document id; they may hold any character, ids may not."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def user_day(db: Client, uid: str, day: date) -> DocumentReference:
    return db.document(f"{COLLECTION}/u{key(uid)}-{day.isoformat()}")


def days_of(db: Client, uid: str, *, since: date, until: date) -> list[Day]:
    """A user's days on which something was spent, from `since` to `until`, oldest first."""
    from google.cloud.firestore import FieldFilter

    # By document id, which needs no index of its own and names this user alone.
    first, last = user_day(db, uid, since), user_day(db, uid, until)
    found = (
        db.collection(COLLECTION)
        .where(filter=FieldFilter("__name__", ">=", first))
        .where(filter=FieldFilter("__name__", "<=", last))
        .stream()
    )
    days = [snapshot.to_dict() or {} for snapshot in found]
    return [Day.of(data, uid=uid, day=date.fromisoformat(data["day"])) for data in days]


@dataclass(frozen=True, slots=True)
class Slice:
    """What is set aside for somebody until a time; `source` is the tenant's slice it is from."""

    amount: Amount
    until: datetime
    source: str | None = None

    @staticmethod
    def of(data: dict[str, Any]) -> Slice:
        return Slice(Amount.of(data), data["until"], data.get("source"))

    def dump(self) -> dict[str, Any]:
        return {**self.amount.dump(), "until": self.until, "source": self.source}


@dataclass(frozen=True, slots=True)
class Spend:
    """One call that was paid for. `is_priced` is False where nobody knows the model's price."""

    model_id: str
    amount: Amount
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    is_priced: bool = True


@dataclass(slots=True)
class Day:
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
            "sources": sorted(sources | self.draws.keys()),
            "expiresAt": expiry(self.day),
        }

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
        """What nobody settled in time counts as spent."""
        for id, found in list(self.slices.items()):
            if found.until < now:
                del self.slices[id]
                self.lost[id] = found.amount
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


@dataclass(frozen=True, slots=True)
class Known:
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
