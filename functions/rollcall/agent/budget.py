"""What a run may spend on models, out of the user's and the tenant's budget of the day.

The worst case of each call is reserved before it, and its cost settled after it. The first call is
reserved by the batch that opens the run; the batch that saves a reply settles its call and reserves
the next; the one that ends the run settles the rest (`store/open_run.py`). What these do not cover,
such as a request that is longer than was foreseen, is reserved by a write of its own. See
docs/decisions/16-budgets.md.
"""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from rollcall.agent.prices import Price, find_price, is_free, read_prices
from rollcall.core.context import User
from rollcall.core.errors import AgentError, FailedPrecondition
from rollcall.core.options import collection_id
from rollcall.models.base import Usage
from rollcall.store import budgets
from rollcall.store.batches import attempts
from rollcall.store.budgets import (
    BudgetExhausted,
    Day,
    DayReservation,
    Spend,
    TenantDay,
    add_settlement,
)
from rollcall.store.limits import NONE, Amount, Limits, TenantLimits, UserLimits, limits

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

FIRST_INPUT_TOKENS = 6_000
"""Of most turns' first requests: instructions, a few tools, some messages."""
MORE_INPUT_TOKENS = 4_000
"""By how much a step's request is longer than the one before, in most turns."""
WAIT_S = 4.0
"""How long a call waits for what other runs have reserved of the user's or the tenant's day."""

log = logging.getLogger("rollcall")


class Reservation(Struct, frozen=True):
    """What is reserved for one model call: the most that it may use, and what that costs."""

    model_id: str
    input_tokens: int
    output_tokens: int
    micro_usd: int = 0

    @property
    def amount(self) -> Amount:
        return Amount(self.micro_usd, self.input_tokens + self.output_tokens)


class Budget:
    """Money and tokens, reserved before a model call and settled after it. This one has no bound:
    for models that cost nothing, and for work that somebody else pays."""

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        """Reserve the worst case of one call.

        Raises:
            BudgetExhausted: The user's or the tenant's budget of the day does not allow it.
            FailedPrecondition: The model has no price, and no policy allows that.
            Unavailable: Firestore cannot be reached.
        """
        return Reservation(model_id, input_tokens, output_tokens)

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        """Count what was used, and return its cost in US dollars; None without a price.

        Args:
            usage: What was used, within the reservation; None if the provider refused the call, so
                that nothing was.
        """
        return 0.0

    def close(self) -> None:
        """Settle what no save of the run has. Never raises: what cannot be written is logged, and
        the reservation then counts as spent."""


class SpendingTerms(Struct, frozen=True):
    """What a user may spend a day, and at which prices.

    Attributes:
        prices: The operator's own, which come before those that ship.
        allow_unpriced: Whether the agent may use models whose price is not known.
    """

    limits: Limits
    user: UserLimits
    tenant: TenantLimits
    prices: tuple[Price, ...]
    allow_unpriced: bool

    @staticmethod
    def of(found: Limits, user: User, *, allow_unpriced: bool) -> SpendingTerms:
        return SpendingTerms(
            limits=found,
            user=found.of_user(user),
            tenant=found.of_tenant(user.tenant) if user.tenant else TenantLimits(),
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


class UserBudget(Budget):
    """The budget of one run of a user, or of one call outside of a run. Close it at the end.

    Args:
        run: The path of the run's document, where it has one.
        models: Those that the run may call, in their order.
        output_tokens: The most that a reply may have.
        allow_unpriced: Whether the agent may use models whose price is not known.
        now: The clock, in UTC.
    """

    def __init__(
        self,
        db: Client,
        user: User,
        *,
        run: str | None = None,
        models: Sequence[str] = (),
        output_tokens: int = 0,
        allow_unpriced: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._db, self._user, self._now = db, user, now
        self._run, self._allow_unpriced = run, allow_unpriced
        first = models[0] if models else ""
        self._next = Reservation(first, FIRST_INPUT_TOKENS, output_tokens)
        self._terms: SpendingTerms | None = None
        self._day: date | None = None
        """The day that pays: the one on which the first call is reserved."""
        self._tenant_day: TenantDay | None = None
        """The tenant's, where that has a limit."""
        self._id = f"s{uuid.uuid4().hex[:15]}"
        self._reserved = NONE
        """What the day has reserved under this id."""
        self._is_within = False
        """Whether the user's limit allows that."""
        self._is_checked = False
        """Whether the tenant's does, too."""
        self._outstanding = NONE
        """What is reserved for calls under way."""
        self._spends: list[Spend] = []
        """Calls that the day does not know yet."""
        self._place: int | None = None
        """Where in its batch the write stands that is being committed, and what it reserves."""
        self._ahead = NONE

    # ---- Riding on the run's writes ----

    def reserve_first(self, day: Day, batch: WriteBatch, id: str) -> None:
        """Reserve the first call in a day that the batch writes, under this id: once for each try,
        of which the last one counts. Nothing where it is free, or the day has not so much left:
        then `reserve` says so."""
        self._day, self._tenant_day, self._ahead = None, None, NONE
        terms, next_call = self._current_terms(), self._next
        price = terms.find_price(next_call.model_id, on=day.day) if next_call.model_id else None
        if is_free(next_call.model_id) or (price is None and not terms.allows_unpriced):
            return
        worst = _worst_case(price, next_call)
        if not terms.user.allows(day.used + worst):
            return
        day.reservations[id] = replace(day.reservations[id], amount=worst)
        self._day, self._ahead = day.day, worst
        self._tenant_day = self._find_tenant_day(day.day)
        if self._tenant_day:
            self._tenant_day.add(batch, reserved=worst)

    def begin(self, id: str) -> None:
        """Begin with what the opening has reserved under this id."""
        self._id, self._reserved = id, self._ahead
        self._is_within = self._reserved != NONE

    def write(self, batch: WriteBatch, *, is_last: bool = False, is_over: bool = True) -> None:
        """Add to a save of the run what calls cost, and what the next one is to reserve; after the
        last save there is none. A run that has neither reserved nor spent writes nothing.

        Args:
            is_over: Whether the run ends with the last save. One that another process is to go on
                with stays entered, without a reservation, and counts as under way.
        """
        self._place = None
        if self._day is None or (self._reserved == NONE and not self._spends):
            return
        price = self._current_terms().find_price(self._next.model_id, on=self._day)
        self._ahead = NONE if is_last else _worst_case(price, self._next)
        self._place = len(batch)
        add_settlement(
            batch,
            self._reference(self._day),
            self._id,
            before=self._reserved,
            after=None
            if is_last and is_over
            else DayReservation(self._ahead, self._run, self._now()),
            spends=self._spends,
        )
        if self._tenant_day:
            reserved = self._ahead - self._reserved
            self._tenant_day.add(batch, reserved=reserved, spent=self._unsettled)

    def wrote(self, written: Sequence[Any]) -> None:
        """Note that the save is committed, with these results; none where the answer was lost."""
        if self._place is None:
            return
        self._reserved, self._spends = self._ahead, []
        used = budgets.used_sum(written[self._place]) if written else None
        self._is_within = used is not None and self._current_terms().user.allows(used)
        self._is_checked, self._place = False, None

    # ---- Calls ----

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        call = Reservation(model_id, input_tokens, output_tokens)
        if is_free(model_id):
            return call
        day = self._day = self._day or self._now().astimezone(UTC).date()
        terms = self._current_terms()
        worst = _worst_case(terms.price(model_id, on=day), call)
        needed = self._outstanding + worst
        self._cover(day, needed, worst)
        self._outstanding = needed
        self._next = replace(call, input_tokens=input_tokens + MORE_INPUT_TOKENS)
        return replace(call, micro_usd=worst.micro_usd)

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        model_id = reservation.model_id
        if is_free(model_id):
            return 0.0
        price = self._current_terms().find_price(model_id, on=self._day or self._now().date())
        self._outstanding -= reservation.amount
        cost = price.micro_usd(usage) if price and usage else 0
        if usage is not None:
            counts = {
                "calls": 1,
                "inputTokens": usage.input_tokens,
                "cachedInputTokens": usage.cached_input_tokens,
                "outputTokens": usage.output_tokens,
                "unpricedCalls": int(price is None),
                "estimatedCalls": int(usage.is_estimated),
            }
            amount = Amount(cost, usage.input_tokens + usage.output_tokens)
            self._spends.append(Spend(model_id, amount, counts))
        return cost / 1_000_000 if price else None

    def close(self) -> None:
        if self._day is None or (self._reserved == NONE and not self._spends):
            return
        try:
            self._write_alone(self._day, None)
        except AgentError as error:
            log.warning("what a run spent is not settled: %s", error)

    # ---- Writes of their own ----

    def _cover(self, day: date, needed: Amount, worst: Amount) -> None:
        """Make sure that what is needed is reserved, within both limits: what no write of the run
        has reserved is now. Wait a little where reservations of others alone are in the way."""
        tenant_limit = self._current_terms().tenant
        for _ in attempts(within_s=WAIT_S):
            try:
                has_tenant_day = tenant_limit.is_none or self._tenant_day is not None
                is_enough = self._reserved.covers(needed + self._unsettled)
                if not (self._is_within and is_enough and has_tenant_day):
                    self._write_alone(day, needed)
                if self._tenant_day and not self._is_checked:
                    self._tenant_day.check(tenant_limit, worst)
                    self._is_checked = True
                return
            except BudgetExhausted as error:
                failure = error
            if self._reserved != self._outstanding or self._spends:
                self._write_alone(day, self._outstanding)
            if not failure.is_for_now:
                break
        raise failure

    def _write_alone(self, day: date, needed: Amount | None) -> None:
        """Settle the calls so far and reserve what is needed, in a write that insists on the day as
        it was read; None takes the entry out.

        Raises:
            BudgetExhausted: The user's limit does not allow one call more; nothing is written.
        """
        terms, save, ahead = self._current_terms(), uuid.uuid4().hex, needed or NONE
        is_call_more = ahead != self._outstanding and needed is not None
        tenant_day = self._tenant_day or self._find_tenant_day(day)

        def apply(data: dict[str, Any] | None) -> dict[str, Any] | None:
            found = Day.of(data, uid=self._user.uid, day=day)
            entry = found.reservations.get(self._id)
            is_gone = data is not None and entry is None and self._id not in found.lost
            if (entry and entry.save == save) or (needed is None and is_gone):
                return None  # it was written, and only the answer was lost
            found.settle(self._id, self._spends)
            if is_call_more and not terms.user.allows(found.used + ahead):
                is_for_now = terms.user.allows(found.spent + ahead)
                told = _no_room(terms.user, found, ahead, is_for_now=is_for_now)
                raise BudgetExhausted(told, is_for_now=is_for_now)
            if needed is not None and (self._run or ahead != NONE):
                found.reservations[self._id] = DayReservation(ahead, self._run, self._now(), save)
            return found.dump()

        def beside(batch: WriteBatch) -> None:
            if tenant_day:
                before = self._reserved if self._tenant_day else NONE
                tenant_day.add(batch, reserved=ahead - before, spent=self._unsettled)

        budgets.change(self._db, self._reference(day), apply, beside=beside)
        self._reserved, self._spends, self._tenant_day = ahead, [], tenant_day
        self._is_within, self._is_checked = True, False

    @property
    def _unsettled(self) -> Amount:
        """What calls cost that the day does not know yet."""
        return sum((each.amount for each in self._spends), NONE)

    def _find_tenant_day(self, day: date) -> TenantDay | None:
        tenant = self._user.tenant
        if tenant is None or self._current_terms().tenant.is_none:
            return None
        return TenantDay(self._db, tenant, day)

    def _reference(self, day: date) -> Any:
        return budgets.user_day(self._db, self._user.uid, day)

    def _current_terms(self) -> SpendingTerms:
        found = limits(self._db)
        if self._terms is None or self._terms.limits is not found:
            self._terms = SpendingTerms.of(found, self._user, allow_unpriced=self._allow_unpriced)
        return self._terms


def _worst_case(price: Price | None, call: Reservation) -> Amount:
    tokens = call.input_tokens + call.output_tokens
    if price is None:
        return Amount(0, tokens)
    plain = Usage(input_tokens=call.input_tokens, output_tokens=call.output_tokens)
    written = replace(
        plain,
        cache_write_tokens=call.input_tokens,
        long_cache_write_tokens=call.input_tokens,
    )
    return Amount(max(price.micro_usd(plain), price.micro_usd(written)), tokens)


def _no_room(limit: UserLimits, found: Day, least: Amount, *, is_for_now: bool) -> str:
    """Say which of the two limits has no room for a call, and why, in plain words."""
    used, why = found.used, "used up"
    until = "it renews at 00:00 UTC"
    if is_for_now:
        why, until = "reserved by your runs under way", "try again when one of them has ended"
    if limit.micro_usd is not None and used.micro_usd + least.micro_usd > limit.micro_usd:
        left = max(0, limit.micro_usd - used.micro_usd) / 1_000_000
        return (
            f"your budget for today is {why}: ${left:.2f} of "
            f"${limit.micro_usd / 1_000_000:.2f} is left, and this may cost up to "
            f"${least.micro_usd / 1_000_000:.2f}; {until}"
        )
    most = limit.tokens_per_day or 0
    return (
        f"your budget for today is {why}: {max(0, most - used.tokens):,} of {most:,} tokens "
        f"are left, and this may take up to {least.tokens:,}; {until}"
    )
