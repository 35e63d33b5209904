"""A run's purse, out of the user's and the tenant's budget of the day.

Before a model call its worst case is set aside, in a slice of the user's day that serves for as
many calls as fit into it. A run whose first model is paid for gets its first slice in the write
that opens it; another is taken by one preconditioned write. What was really used is written
together with the next slice, or into the run's own document when the run ends. So a run that stays
within its first slice reads and writes nothing for it, however many calls it makes.
"""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.agent.prices import Price, find_price, is_free, read_prices
from rollcall.agent.purse import BudgetExhausted, Reservation
from rollcall.core.context import User
from rollcall.core.errors import AgentError, FailedPrecondition
from rollcall.models.base import Usage
from rollcall.store import budgets
from rollcall.store.admission import Admission
from rollcall.store.amounts import NONE, Amount, Limit
from rollcall.store.budgets import Day, Known, Refused, Slice, Spend
from rollcall.store.day_admission import DayAdmission
from rollcall.store.limits import Limits, limits
from rollcall.store.settlements import Settlements, look_up, settle_said, settlement
from rollcall.store.shares import Draw, share

if TYPE_CHECKING:
    from google.cloud.firestore import Client

SLICE_TIME = timedelta(minutes=10)
CALL_TIME = timedelta(minutes=3)
"""A call may take so long; a slice whose time ends sooner is renewed before."""
MARGIN = timedelta(minutes=4)
"""A slice whose time ends sooner is settled in the day itself: clocks differ by some minutes, and a
save takes time."""
LOOKED_AFTER = 8
"""At so many slices in a day, and at each multiple of it, who takes another looks which of them are
settled. Not at each number beyond: of runs that go on at once none may be."""

log = logging.getLogger("rollcall")


def _utc_now() -> datetime:
    return datetime.now(UTC)


class FirstCall(Struct, frozen=True):
    """What a run will call first, as far as it is known before the run is opened."""

    model_id: str
    input_tokens: int
    output_tokens: int


def admission(
    db: Client,
    user: User,
    now: datetime,
    *,
    run_key: str | None,
    counts: bool = True,
    purse: FirestorePurse | None = None,
    first_call: FirstCall | None = None,
) -> Admission:
    """What an opening has to read and write so that the user's runs are counted.

    Args:
        run_key: What the user's other openings know this run by; None for an id that was made here.
        counts: Whether the user's rate counts it.
        purse: The run's, to begin with the day as the opening wrote it.
        first_call: What the run will begin with; where it is paid for the purse gets a slice.
    Raises:
        Unavailable: The limits were never read, and cannot be.
    """
    worst = purse.worst(first_call) if purse and first_call else None
    return DayAdmission(
        db=db,
        uid=user.uid,
        now=now,
        run_key=run_key,
        most=limits(db).of_user(user).runs_per_minute,
        counts=counts,
        take=partial(purse.take_first, worst) if purse and worst else None,
        taken=purse.begin if purse else None,
    )


def new_slice_id() -> str:
    """Also a name of a field: it begins with a letter."""
    return f"s{uuid.uuid4().hex[:15]}"


class _Lease(Struct):
    """What a run has of a day. `written` and `known` are as Firestore has them.

    Attributes:
        id: The slice's. Each slice has one of its own, and is settled under it once.
    """

    day: date
    id: str = field(default_factory=new_slice_id)
    written: Slice | None = None
    known: Known | None = None
    draw: Draw | None = None
    outstanding: Amount = NONE
    spends: list[Spend] = field(default_factory=list)

    @property
    def spent(self) -> Amount:
        """What was spent since the last write."""
        return sum((spend.amount for spend in self.spends), NONE)


class _Terms(Struct, frozen=True):
    """What holds for a user, read of `limits`."""

    limits: Limits
    user: Limit
    tenant: Limit
    prices: tuple[Price, ...]

    @staticmethod
    def of(found: Limits, user: User) -> _Terms:
        return _Terms(
            limits=found,
            user=found.of_user(user).a_day,
            tenant=found.of_tenant(user.tenant).a_day if user.tenant else Limit(),
            prices=read_prices(found.prices),
        )


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
        self._lease: _Lease | None = None
        self._first: _Lease | None = None
        self._said: Settlements = {}
        self._terms: _Terms | None = None

    def heed(self, said: Settlements) -> None:
        """What another run says it spent is settled when the day is written next."""
        self._said = said

    def worst(self, call: FirstCall) -> Amount | None:
        """What a call may cost; None where this purse does not pay for it."""
        if is_free(call.model_id):
            return None
        price = self._find_price(call.model_id, self._current_terms())
        if price is None and not self._allows_unpriced:
            return None
        return _worst(price, call.input_tokens, call.output_tokens)

    def take_first(self, worst: Amount, day: Day) -> None:
        """Put the first slice into a day that is about to be written: as much as `_take` would, or
        what is left; none where nothing is, and then `reserve` says so. Before `begin`, any number
        of times: only the last one counts.

        Raises:
            Unavailable: Firestore cannot be reached.
        """
        terms = self._current_terms()
        wanted = worst.most(terms.user.slice())
        first = self._first = self._first or _Lease(day.day)
        if first.draw is None:
            try:
                first.draw = self._draw(first, terms.tenant, least=NONE, wanted=wanted)
            except BudgetExhausted:
                return
        most = _most(wanted, first.draw, terms.tenant)
        amount = self._part(day, terms.user, least=NONE, wanted=most)
        if amount is not None and _is_something(amount, wanted):
            day.slices[first.id] = self._slice(amount, first.draw)

    def begin(self, known: Known) -> None:
        """The run is open, and this is its user's day as it was written."""
        first, self._first = self._first, None
        day = date.fromisoformat((known.data or {})["day"])
        lease = first or _Lease(day)
        lease.known = known
        written = (known.data or {})["slices"].get(lease.id)
        lease.written = Slice.of(written) if written else None
        if lease.written is None:
            self._release(lease)
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
        price = self._price(model_id, terms)
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
        price = self._find_price(reservation.model_id, self._current_terms())
        reserved = Amount(reservation.micro_usd, reservation.tokens)
        if self._lease is None:
            self._lease = _Lease(self._today())
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
            self._release(lease)

    def close(self) -> None:
        """Write what was spent, and give back the rest. What cannot be written is logged: the
        slice then counts as spent when its time is over."""
        first, self._first = self._first, None
        if first is not None:  # the run was not opened
            self._release(first)
        lease, self._lease = self._lease, None
        if lease is None or (lease.written is None and not lease.spends):
            return

        def apply(data: dict[str, Any] | None) -> dict[str, Any] | None:
            if _is_settled(lease, data):
                return None
            day = Day.of(data, uid=self._user.uid, day=lease.day)
            day.settle(lease.id, lease.written, lease.spends)
            day.count_expired(self._now())
            return day.dump() if data is None else day.dump_over(data)

        try:
            self._change(lease, apply)
        except AgentError as error:
            log.warning("what a run spent is not settled: %s", error)
        self._release(lease)

    def _current_terms(self) -> _Terms:
        found = limits(self._db)
        if self._terms is None or self._terms.limits is not found:
            self._terms = _Terms.of(found, self._user)
        return self._terms

    def _price(self, model_id: str, terms: _Terms) -> Price | None:
        price = self._find_price(model_id, terms)
        if price is None and not self._allows_unpriced:
            raise FailedPrecondition(
                f"the price of the model {model_id!r} is not known, so it is not used",
                hint="add its price to the document budgets/prices, or allow models without one: "
                "allowUnpriced in the agent's overrides, or ROLLCALL_ALLOW_UNPRICED=true",
            )
        return price

    @property
    def _allows_unpriced(self) -> bool:
        return self._allow_unpriced or os.environ.get("ROLLCALL_ALLOW_UNPRICED") == "true"

    def _find_price(self, model_id: str, terms: _Terms) -> Price | None:
        return find_price(model_id, on=self._today(), own=terms.prices)

    def _set_aside(self, worst: Amount, terms: _Terms) -> None:
        if self._lease is not None and self._lease.day != self._today():
            self.close()
        lease = self._lease = self._lease or _Lease(self._today())
        is_drawn = terms.tenant.is_none or lease.draw is not None
        if not is_drawn or not self._covers(lease, worst, (terms.user, terms.tenant)):
            self._take(lease, lease.outstanding + worst, terms.user, terms.tenant)
        lease.outstanding += worst

    def _covers(self, lease: _Lease, worst: Amount, both: tuple[Limit, Limit]) -> bool:
        if lease.written is None or lease.written.until < self._now() + CALL_TIME:
            return False
        has = lease.written.amount
        own = Limit(
            None if all(limit.micro_usd is None for limit in both) else has.micro_usd,
            None if all(limit.tokens is None for limit in both) else has.tokens,
        )
        return own.allows(lease.spent + lease.outstanding + worst)

    def _take(self, lease: _Lease, least: Amount, user: Limit, tenant: Limit) -> None:
        """Take a slice of at least `least`, and write what was spent of the one before."""
        wanted = least.most(lease.outstanding + user.slice())
        draw = self._draw(lease, tenant, least=least, wanted=wanted)
        id = new_slice_id()

        def apply(data: dict[str, Any] | None) -> dict[str, Any]:
            day = Day.of(data, uid=self._user.uid, day=lease.day)
            day.slices.pop(id, None)  # of a write that went through, and whose answer was lost
            if not _is_settled(lease, data):
                day.settle(lease.id, lease.written, lease.spends)
            most = _most(wanted, draw, tenant)
            amount = self._part(day, user, least=least, wanted=most)
            if amount is None:
                raise Refused(_used_up(user, day.used, least))
            day.slices[id] = self._slice(amount, draw)
            return day.dump()

        try:
            written = self._change(lease, apply)
        except AgentError as error:
            if draw:
                self._give_back(draw, NONE)
            if isinstance(error, Refused):
                raise self._exhausted(error) from error
            raise
        self._release(lease)
        lease.id, lease.known, lease.draw, lease.spends = id, written, draw, []
        lease.written = Slice.of((written.data or {})["slices"][id])

    def _part(self, day: Day, limit: Limit, *, least: Amount, wanted: Amount) -> Amount | None:
        """What may be had of a day: at least `least`, otherwise None. Before it is less than
        `wanted`, and where many slices are taken, what runs have settled is looked up."""
        now = self._now()
        settle_said(day, self._said)
        day.count_expired(now)
        amount = limit.lease(used=day.used, least=least, wanted=wanted)
        are_many = len(day.slices) > 0 and len(day.slices) % LOOKED_AFTER == 0
        if amount == wanted.most(least) and not are_many:
            return amount
        look_up(self._db, day, now=now)
        return limit.lease(used=day.used, least=least, wanted=wanted)

    def _slice(self, amount: Amount, draw: Draw | None) -> Slice:
        source = draw.source if draw else None
        return Slice(amount, self._now() + SLICE_TIME, source, self._run)

    def _draw(self, lease: _Lease, tenant: Limit, *, least: Amount, wanted: Amount) -> Draw | None:
        if tenant.is_none or self._user.tenant is None:
            return None
        own = share(self._db, self._user.tenant, lease.day)
        try:
            return own.draw(tenant, least=least, wanted=wanted, now=self._now())
        except Refused as error:
            if lease.draw is None or lease.outstanding != NONE:
                raise self._exhausted(error) from error
            self._release(lease)  # what is left of our own draw may do
        try:
            return own.draw(tenant, least=least, wanted=wanted, now=self._now())
        except Refused as error:
            raise self._exhausted(error) from error

    def _release(self, lease: _Lease) -> None:
        draw, lease.draw = lease.draw, None
        if draw is not None:
            self._give_back(draw, lease.spent)

    def _give_back(self, draw: Draw, spent: Amount) -> None:
        try:
            draw.share.release(draw, spent=spent)
        except AgentError as error:
            log.warning("a slice of a tenant's budget is not returned yet: %s", error)

    def _change(
        self, lease: _Lease, apply: Callable[[dict[str, Any] | None], dict[str, Any] | None]
    ) -> Known:
        reference = budgets.user_day(self._db, self._user.uid, lease.day)
        return budgets.change(self._db, reference, apply, lease.known)

    def _exhausted(self, error: Refused) -> BudgetExhausted:
        return BudgetExhausted(
            error.message,
            hint="it renews at 00:00 UTC",
            retry_after_s=budgets.until_tomorrow_s(self._now()),
        )

    def _today(self) -> date:
        return self._now().astimezone(UTC).date()


def _is_settled(lease: _Lease, data: dict[str, Any] | None) -> bool:
    """Whether somebody has found what the run's document says of the lease's slice: it was written
    to the day, and is not there any more. Of a day that was deleted nothing is known."""
    if lease.written is None or data is None:
        return False
    return lease.id not in data["slices"] and lease.id not in data["lost"]


def _most(wanted: Amount, draw: Draw | None, tenant: Limit) -> Amount:
    """What is wanted, as far as the tenant has a limit no more than was drawn."""
    if draw is None:
        return wanted
    return Amount(
        wanted.micro_usd if tenant.micro_usd is None else draw.amount.micro_usd,
        wanted.tokens if tenant.tokens is None else draw.amount.tokens,
    )


def _is_something(amount: Amount, wanted: Amount) -> bool:
    """Whether it is worth being set aside: there is something of all that is wanted."""
    has_money = amount.micro_usd > 0 or wanted.micro_usd == 0
    return has_money and (amount.tokens > 0 or wanted.tokens == 0)


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


def _used_up(limit: Limit, used: Amount, least: Amount) -> str:
    """Say which of the two is used up, in plain words."""
    if limit.micro_usd is not None and used.micro_usd + least.micro_usd > limit.micro_usd:
        left = max(0, limit.micro_usd - used.micro_usd) / 1_000_000
        return (
            f"your budget for today is used up: ${left:.2f} of "
            f"${limit.micro_usd / 1_000_000:.2f} is left, and this may cost up to "
            f"${least.micro_usd / 1_000_000:.2f}; it renews at 00:00 UTC"
        )
    most = limit.tokens or 0
    return (
        f"your budget for today is used up: {max(0, most - used.tokens):,} of {most:,} tokens "
        f"are left, and this may take up to {least.tokens:,}; it renews at 00:00 UTC"
    )
