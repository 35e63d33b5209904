"""A run's purse, out of the user's and the tenant's budget of the day.

Before a model call its worst case is set aside, in a slice of the user's day that serves for as
many calls as fit into it. A run whose first model is paid for gets its first slice in the write
that opens it; another is taken by one preconditioned write. What was really used is written
together with the next slice, or into the run's own document when the run ends. So a run that stays
within its first slice reads and writes nothing for it, however many calls it makes.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from rollcall.agent.day_lease import DayLease
from rollcall.agent.day_slices import DaySlices
from rollcall.agent.prices import Price, is_free
from rollcall.agent.purse import Reservation
from rollcall.agent.terms import Terms
from rollcall.core.context import User
from rollcall.models.base import Usage
from rollcall.store.budgets import Day, Known, Settlements, Slice, Spend, settlement
from rollcall.store.limits import Amount, limits

if TYPE_CHECKING:
    from google.cloud.firestore import Client

MARGIN = timedelta(minutes=4)
"""A slice whose time ends sooner is settled in the day itself: clocks differ by some minutes, and a
save takes time."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class FirestorePurse:
    """The purse of one run of a user, for one thread. Close it when the run ends.

    Args:
        run: The path of the run's document, where it has one: its end says there what was spent.
        allow_unpriced: Whether the agent may use models whose price is not known; so may all when
            ROLLCALL_ALLOW_UNPRICED is "true".
        now: The clock, in UTC.
    """

    def __init__(
        self,
        db: Client,
        user: User,
        *,
        run: str | None = None,
        allow_unpriced: bool = False,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._db, self._user, self._now = db, user, now
        self._run, self._allow_unpriced = run, allow_unpriced
        self._slices = DaySlices(db, user, run=run, now=now)
        self._lease: DayLease | None = None
        self._first: DayLease | None = None
        self._terms: Terms | None = None

    def heed(self, said: Settlements) -> None:
        """What another run says it spent is settled when the day is written next."""
        self._slices.heed(said)

    def worst(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Amount | None:
        """What a call may cost; None where this purse does not pay for it."""
        if is_free(model_id):
            return None
        terms = self._current_terms()
        price = terms.find_price(model_id, on=self._today())
        if price is None and not terms.allows_unpriced:
            return None
        return _worst(price, input_tokens, output_tokens)

    def take_first(self, worst: Amount, day: Day) -> None:
        """Put the first slice into a day that is about to be written: for a call that costs so
        much at worst, or what is left; none where nothing is, and then `reserve` says so. Before
        `begin`, any number of times: only the last one counts.

        Raises:
            Unavailable: Firestore cannot be reached.
        """
        terms = self._current_terms()
        first = self._first = self._first or DayLease(day.day)
        self._slices.take_first(first, worst, terms, day)

    def begin(self, known: Known) -> None:
        """The run is open, and this is its user's day as it was written."""
        first, self._first = self._first, None
        day = date.fromisoformat((known.data or {})["day"])
        lease = first or DayLease(day)
        lease.known = known
        written = (known.data or {})["slices"].get(lease.id)
        lease.written = Slice.of(written) if written else None
        if lease.written is None:
            self._slices.release(lease)
        self._lease = lease

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        """Set aside the worst case of one call.

        Raises:
            BudgetExhausted: The user's or the tenant's budget of the day does not allow it.
            FailedPrecondition: The model has no price, and no policy allows that.
            Unavailable: Firestore cannot be reached.
        """
        if is_free(model_id):
            return Reservation(model_id, input_tokens + output_tokens, 0)
        terms = self._current_terms()
        price = terms.price(model_id, on=self._today())
        worst = _worst(price, input_tokens, output_tokens)
        self._set_aside(worst, terms)
        return Reservation(model_id, worst.tokens, worst.micro_usd)

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        """Count what was used, and return its cost in US dollars; None without a price.

        Args:
            usage: What was used, by the provider's word or else by what arrived; None if the
                provider refused the call, so that nothing was.
        """
        if is_free(reservation.model_id):
            return 0.0
        price = self._current_terms().find_price(reservation.model_id, on=self._today())
        reserved = Amount(reservation.micro_usd, reservation.tokens)
        if self._lease is None:
            self._lease = DayLease(self._today())
        self._lease.outstanding -= reserved
        cost = price.micro_usd(usage) if price and usage else 0
        if usage is not None:
            self._lease.spends.append(_spend(reservation.model_id, usage, price, cost))
        return cost / 1_000_000 if price else None

    def settlement(self) -> Settlements:
        """What the run's document is to say at its end; nothing where there is nothing to say, or
        it has to be said in the day itself."""
        lease = self._lease
        if self._run is None or lease is None or lease.written is None:
            return {}
        if lease.written.until < self._now() + MARGIN:
            return {}  # the day may count it as lost before anybody can read this
        return settlement(lease.id, lease.day, lease.spends)

    def settled(self) -> None:
        """The run's document says what `settlement` gave."""
        lease, self._lease = self._lease, None
        if lease is not None:
            self._slices.release(lease)

    def close(self) -> None:
        """Write what was spent, and give back the rest. What cannot be written is logged: the
        slice then counts as spent when its time is over."""
        first, self._first = self._first, None
        if first is not None:  # the run was not opened
            self._slices.release(first)
        lease, self._lease = self._lease, None
        if lease is not None and (lease.written is not None or lease.spends):
            self._slices.settle(lease)

    def _set_aside(self, worst: Amount, terms: Terms) -> None:
        if self._lease is not None and self._lease.day != self._today():
            self.close()
        lease = self._lease = self._lease or DayLease(self._today())
        if not lease.covers(worst, terms, now=self._now()):
            self._slices.take(lease, lease.outstanding + worst, terms)
        lease.outstanding += worst

    def _current_terms(self) -> Terms:
        found = limits(self._db)
        if self._terms is None or self._terms.limits is not found:
            self._terms = Terms.of(found, self._user, allow_unpriced=self._allow_unpriced)
        return self._terms

    def _today(self) -> date:
        return self._now().astimezone(UTC).date()


def _worst(price: Price | None, input_tokens: int, output_tokens: int) -> Amount:
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    return Amount(price.micro_usd(usage) if price else 0, input_tokens + output_tokens)


def _spend(model_id: str, usage: Usage, price: Price | None, cost: int) -> Spend:
    return Spend(
        model_id,
        Amount(cost, usage.input_tokens + usage.output_tokens),
        input_tokens=usage.input_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        output_tokens=usage.output_tokens,
        is_priced=price is not None,
    )
