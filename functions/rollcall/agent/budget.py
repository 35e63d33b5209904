"""What a run may spend on models, out of the user's and the tenant's budget of the day.

Before a model call its worst case is reserved, in a slice of the user's day that serves for as many
calls as fit into it. A run whose first model is paid for gets its first slice in the write that
opens it; another is taken by one preconditioned write. Where the tenant's day is limited too, the
slice is first drawn from what this process has of that (`store/tenant_budgets.py`), and what was
not spent goes back. What was really used is written together with the next slice, or into the run's
own document when the run ends. So a run that stays within its first slice reads and writes nothing
for it, however many calls it makes.
"""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from rollcall.agent.prices import Price, find_price, is_free, read_prices
from rollcall.core.context import User
from rollcall.core.errors import AgentError, FailedPrecondition, ResourceExhausted
from rollcall.core.options import collection_id
from rollcall.models.base import Usage
from rollcall.store import budgets
from rollcall.store.budgets import (
    Day,
    DayReservation,
    Known,
    LimitReached,
    Settlements,
    Spend,
    settle_from_runs,
    settlement,
)
from rollcall.store.limits import NONE, Amount, Limit, Limits, limits
from rollcall.store.tenant_budgets import TenantReservation, tenant_budget

if TYPE_CHECKING:
    from google.cloud.firestore import Client

MARGIN = timedelta(minutes=4)
"""A slice whose time ends sooner is settled in the day itself: clocks differ by some minutes, and a
save takes time."""
CALL_TIME = timedelta(minutes=3)
"""A call may take so long; a slice whose time ends sooner is renewed before."""
SLICE_TIME = timedelta(minutes=10)
LOOKED_AFTER = 8
"""At so many slices in a day, and at each multiple of it, who takes another looks which of them are
settled. Not at each number beyond: of runs that go on at once none may be."""

log = logging.getLogger("rollcall")


class BudgetExhausted(ResourceExhausted):
    """The budget of the user or of the tenant is used up: no model may be called now."""


class Reservation(Struct, frozen=True):
    """What is reserved for one model call: its worst case."""

    model_id: str
    tokens: int
    micro_usd: int


class Budget(Protocol):
    """Money and tokens, reserved before a model call and settled after it."""

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        """Reserve the worst case of one call.

        Raises:
            BudgetExhausted: The user's or the tenant's budget of the day does not allow it.
            FailedPrecondition: The model has no price, and no policy allows that.
        """

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        """Give back what was not used, and return the cost in US dollars; None without a price.

        Args:
            usage: What the provider says was used; None if the call failed without saying.
        """

    def close(self) -> None:
        """Write what is not written yet, and give back what is reserved. Never raises."""


class FreeBudget:
    """For models that cost nothing, and for work that somebody else pays."""

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        return Reservation(model_id, input_tokens + output_tokens, 0)

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        return 0.0

    def close(self) -> None:
        """There is nothing to give back."""


class SpendingTerms(Struct, frozen=True):
    """What a user may spend a day, and at which prices.

    Attributes:
        prices: The operator's own, which come before those that ship.
        allow_unpriced: Whether the agent may use models whose price is not known.
    """

    limits: Limits
    user: Limit
    tenant: Limit
    prices: tuple[Price, ...]
    allow_unpriced: bool

    @staticmethod
    def of(found: Limits, user: User, *, allow_unpriced: bool) -> SpendingTerms:
        return SpendingTerms(
            limits=found,
            user=found.of_user(user).a_day,
            tenant=found.of_tenant(user.tenant).a_day if user.tenant else Limit(),
            prices=read_prices(found.prices),
            allow_unpriced=allow_unpriced,
        )

    @property
    def allows_unpriced(self) -> bool:
        """Whether models may be used whose price is not known: by the agent's profile, or all when
        ROLLCALL_ALLOW_UNPRICED is "true"."""
        return self.allow_unpriced or os.environ.get("ROLLCALL_ALLOW_UNPRICED") == "true"

    def find_price(self, model_id: str, *, on: date) -> Price | None:
        """Return a model's price on a day; None where it is not known."""
        return find_price(model_id, on=on, own=self.prices)

    def price(self, model_id: str, *, on: date) -> Price | None:
        """Return the price of a model that is about to be called; None where it may go without.

        Raises:
            FailedPrecondition: The model has no price, and no policy allows that.
        """
        price = self.find_price(model_id, on=on)
        if price is None and not self.allows_unpriced:
            raise FailedPrecondition(
                f"the price of the model {model_id!r} is not known, so it is not used",
                hint=f"add its price to the document {collection_id('budgets')}/prices, or allow "
                "models without one: allowUnpriced in the agent's overrides, or "
                "ROLLCALL_ALLOW_UNPRICED=true",
            )
        return price


def _new_slice_id() -> str:
    return f"s{uuid.uuid4().hex[:15]}"


class RunSlice(Struct):
    """What a run has of its user's day: a slice, and what was spent of it.

    Attributes:
        id: Each slice has one of its own, and is settled under it once. It begins with a letter,
            since it is also the name of a field.
        written: The slice as Firestore has it; `known` is the day's document.
        draw: What the slice has of the tenant's day, where that is limited.
        outstanding: What is reserved for calls under way.
        spends: The calls since the last write.
    """

    day: date
    id: str = field(default_factory=_new_slice_id)
    written: DayReservation | None = None
    known: Known | None = None
    draw: TenantReservation | None = None
    outstanding: Amount = NONE
    spends: list[Spend] = field(default_factory=list)

    @property
    def spent(self) -> Amount:
        """What was spent since the last write."""
        return sum((spend.amount for spend in self.spends), NONE)

    def covers(self, worst: Amount, terms: SpendingTerms, *, now: datetime) -> bool:
        """Return whether a call that costs so much at worst needs no other slice."""
        if self.draw is None and not terms.tenant.is_none:
            return False
        if self.written is None or self.written.until < now + CALL_TIME:
            return False
        has, both = self.written.amount, (terms.user, terms.tenant)
        own = Limit(
            None if all(limit.micro_usd is None for limit in both) else has.micro_usd,
            None if all(limit.tokens is None for limit in both) else has.tokens,
        )
        return own.allows(self.spent + self.outstanding + worst)

    def is_settled(self, data: dict[str, Any] | None) -> bool:
        """Return whether the slice was settled by somebody who found what the run's document says:
        it was written to the day, and is not there any more. Nothing is known of a deleted day."""
        if self.written is None or data is None:
            return False
        return self.id not in data["slices"] and self.id not in data["lost"]


class UserBudget:
    """The budget of one run of a user. Close it when the run ends.

    Args:
        run: The path of the run's document, where it has one: its end says there what was spent.
        allow_unpriced: Whether the agent may use models whose price is not known.
        now: The clock, in UTC.
    Attributes:
        earlier: What the thread's run before says it spent; the day's next write settles it.
    """

    def __init__(
        self,
        db: Client,
        user: User,
        *,
        run: str | None = None,
        allow_unpriced: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.earlier: Settlements = {}
        self._db, self._user, self._now = db, user, now
        self._run, self._allow_unpriced = run, allow_unpriced
        self._slice: RunSlice | None = None
        self._first: RunSlice | None = None
        self._terms: SpendingTerms | None = None

    def worst_case(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Amount | None:
        """Return what a call may cost; None where this budget does not pay for it."""
        if is_free(model_id):
            return None
        terms = self._current_terms()
        price = terms.find_price(model_id, on=self._today())
        if price is None and not terms.allows_unpriced:
            return None
        return _worst_case(price, input_tokens, output_tokens)

    def take_first(self, worst: Amount, day: Day) -> None:
        """Put the first slice into a day that is about to be written: for a call that costs so
        much at worst, or what is left; none where nothing is, and then `reserve` says so. Before
        `begin`, any number of times: only the last one counts.

        Raises:
            Unavailable: Firestore cannot be reached.
        """
        terms = self._current_terms()
        first = self._first = self._first or RunSlice(day.day)
        wanted = worst.at_least(terms.user.default_reservation())
        if first.draw is None:
            try:
                first.draw = self._draw(first, terms.tenant, least=NONE, wanted=wanted)
            except BudgetExhausted:
                return
        most = _most(wanted, first.draw, terms.tenant)
        amount = self._available(day, terms.user, least=NONE, wanted=most)
        if amount is None:
            return
        has_money = amount.micro_usd > 0 or wanted.micro_usd == 0
        if has_money and (amount.tokens > 0 or wanted.tokens == 0):
            day.reservations[first.id] = self._new_slice(amount, first.draw)

    def begin(self, known: Known) -> None:
        """Begin with the user's day as the opening of the run wrote it."""
        first, self._first = self._first, None
        data = known.data or {}
        own = self._slice = first or RunSlice(date.fromisoformat(data["day"]))
        own.known = known
        if own.id in data["slices"]:
            own.written = DayReservation.of(data["slices"][own.id])
        else:
            self._release(own)

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        """Reserve the worst case of one call.

        Raises:
            BudgetExhausted: The user's or the tenant's budget of the day does not allow it.
            FailedPrecondition: The model has no price, and no policy allows that.
            Unavailable: Firestore cannot be reached.
        """
        if is_free(model_id):
            return Reservation(model_id, input_tokens + output_tokens, 0)
        terms, today = self._current_terms(), self._today()
        worst = _worst_case(terms.price(model_id, on=today), input_tokens, output_tokens)
        if self._slice is not None and self._slice.day != today:
            self.close()
        own = self._slice = self._slice or RunSlice(today)
        if not own.covers(worst, terms, now=self._now()):
            self._take(own, own.outstanding + worst, terms)
        own.outstanding += worst
        return Reservation(model_id, worst.tokens, worst.micro_usd)

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        """Count what was used, and return its cost in US dollars; None without a price.

        Args:
            usage: What was used, by the provider's word or else by what arrived; None if the
                provider refused the call, so that nothing was.
        """
        model_id = reservation.model_id
        if is_free(model_id):
            return 0.0
        price = self._current_terms().find_price(model_id, on=self._today())
        if self._slice is None:
            self._slice = RunSlice(self._today())
        self._slice.outstanding -= Amount(reservation.micro_usd, reservation.tokens)
        cost = price.micro_usd(usage) if price and usage else 0
        if usage is not None:
            spend = Spend(
                model_id,
                Amount(cost, usage.input_tokens + usage.output_tokens),
                input_tokens=usage.input_tokens,
                cached_input_tokens=usage.cached_input_tokens,
                output_tokens=usage.output_tokens,
                is_priced=price is not None,
            )
            self._slice.spends.append(spend)
        return cost / 1_000_000 if price else None

    def settlement(self) -> Settlements:
        """Return what the run's document is to say at its end; nothing where there is nothing to
        say, or it has to be said in the day itself."""
        own = self._slice
        if self._run is None or own is None or own.written is None:
            return {}
        if own.written.until < self._now() + MARGIN:
            return {}  # the day may count it as lost before anybody can read this
        return settlement(own.id, own.day, own.spends)

    def settled(self) -> None:
        """Note that the run's document says what `settlement` returned."""
        own, self._slice = self._slice, None
        if own is not None:
            self._release(own)

    def close(self) -> None:
        """Write what was spent, and give back the rest. What cannot be written is logged: the
        slice then counts as spent when its time is over."""
        first, self._first = self._first, None
        if first is not None:  # the run was not opened
            self._release(first)
        own, self._slice = self._slice, None
        if own is None or (own.written is None and not own.spends):
            return

        def apply(data: dict[str, Any] | None) -> dict[str, Any] | None:
            if own.is_settled(data):
                return None
            day = Day.of(data, uid=self._user.uid, day=own.day)
            day.settle(own.id, own.written, own.spends)
            day.count_expired(self._now())
            return day.dump() if data is None else day.dump_over(data)

        try:
            self._change(own, apply)
        except AgentError as error:
            log.warning("what a run spent is not settled: %s", error)
        self._release(own)

    def _take(self, own: RunSlice, least: Amount, terms: SpendingTerms) -> None:
        """Take a slice of at least `least`, and write what was spent of the one before.

        Raises:
            BudgetExhausted: The user's or the tenant's budget of the day does not allow it.
            Unavailable: Firestore cannot be reached.
        """
        wanted = least.at_least(own.outstanding + terms.user.default_reservation())
        draw = self._draw(own, terms.tenant, least=least, wanted=wanted)
        id = _new_slice_id()

        def apply(data: dict[str, Any] | None) -> dict[str, Any]:
            day = Day.of(data, uid=self._user.uid, day=own.day)
            day.reservations.pop(
                id, None
            )  # of a write that went through, and whose answer was lost
            if not own.is_settled(data):
                day.settle(own.id, own.written, own.spends)
            most = _most(wanted, draw, terms.tenant)
            amount = self._available(day, terms.user, least=least, wanted=most)
            if amount is None:
                raise LimitReached(_used_up(terms.user, day.used, least))
            day.reservations[id] = self._new_slice(amount, draw)
            return day.dump()

        try:
            written = self._change(own, apply)
        except AgentError as error:
            if draw:
                self._give_back(draw, NONE)
            if isinstance(error, LimitReached):
                raise self._exhausted(error) from error
            raise
        self._release(own)
        own.id, own.known, own.draw, own.spends = id, written, draw, []
        own.written = DayReservation.of((written.data or {})["slices"][id])

    def _release(self, own: RunSlice) -> None:
        """Give the tenant back what was not spent of a slice's draw, if it has one."""
        draw, own.draw = own.draw, None
        if draw is not None:
            self._give_back(draw, own.spent)

    def _available(self, day: Day, limit: Limit, *, least: Amount, wanted: Amount) -> Amount | None:
        """Return what may be had of a day: at least `least`, otherwise None. Before it is less than
        `wanted`, and where many slices are taken, what runs have settled is looked up."""
        now = self._now()
        day.apply_settlements(self.earlier)
        day.count_expired(now)
        amount = limit.reservable(used=day.used, least=least, wanted=wanted)
        are_many = len(day.reservations) > 0 and len(day.reservations) % LOOKED_AFTER == 0
        if amount == wanted.at_least(least) and not are_many:
            return amount
        settle_from_runs(self._db, day, now=now)
        return limit.reservable(used=day.used, least=least, wanted=wanted)

    def _new_slice(self, amount: Amount, draw: TenantReservation | None) -> DayReservation:
        return DayReservation(
            amount, self._now() + SLICE_TIME, draw.source if draw else None, self._run
        )

    def _draw(
        self, own: RunSlice, tenant: Limit, *, least: Amount, wanted: Amount
    ) -> TenantReservation | None:
        if tenant.is_none or self._user.tenant is None:
            return None
        tenants = tenant_budget(self._db, self._user.tenant, own.day)
        try:
            return tenants.reserve(tenant, least=least, wanted=wanted, now=self._now())
        except LimitReached as error:
            if own.draw is None or own.outstanding != NONE:
                raise self._exhausted(error) from error
            self._release(own)  # what is left of our own draw may do
        try:
            return tenants.reserve(tenant, least=least, wanted=wanted, now=self._now())
        except LimitReached as error:
            raise self._exhausted(error) from error

    def _give_back(self, draw: TenantReservation, spent: Amount) -> None:
        try:
            draw.budget.release(draw, spent=spent)
        except AgentError as error:
            log.warning("a slice of a tenant's budget is not returned yet: %s", error)

    def _change(
        self, own: RunSlice, apply: Callable[[dict[str, Any] | None], dict[str, Any] | None]
    ) -> Known:
        reference = budgets.user_day(self._db, self._user.uid, own.day)
        return budgets.change(self._db, reference, apply, own.known)

    def _exhausted(self, error: LimitReached) -> BudgetExhausted:
        return BudgetExhausted(
            error.message,
            hint="it renews at 00:00 UTC",
            retry_after_s=budgets.until_tomorrow_s(self._now()),
        )

    def _current_terms(self) -> SpendingTerms:
        found = limits(self._db)
        if self._terms is None or self._terms.limits is not found:
            self._terms = SpendingTerms.of(found, self._user, allow_unpriced=self._allow_unpriced)
        return self._terms

    def _today(self) -> date:
        return self._now().astimezone(UTC).date()


def _worst_case(price: Price | None, input_tokens: int, output_tokens: int) -> Amount:
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    return Amount(price.micro_usd(usage) if price else 0, input_tokens + output_tokens)


def _most(wanted: Amount, draw: TenantReservation | None, tenant: Limit) -> Amount:
    """Return what is wanted, and no more than was drawn of what the tenant has a limit for."""
    if draw is None:
        return wanted
    return Amount(
        wanted.micro_usd if tenant.micro_usd is None else draw.amount.micro_usd,
        wanted.tokens if tenant.tokens is None else draw.amount.tokens,
    )


def _used_up(limit: Limit, used: Amount, least: Amount) -> str:
    """Say which of the two limits is used up, in plain words."""
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
