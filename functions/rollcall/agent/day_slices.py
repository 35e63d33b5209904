"""How a run's slices are taken, of its user's day and of the tenant's, and settled again.

A slice is written into the user's day. Where the tenant's day is limited too, its amount is drawn
first from what this process has of that (`store/shares.py`), and what was not spent goes back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rollcall.agent.day_lease import DayLease, new_slice_id
from rollcall.agent.purse import BudgetExhausted
from rollcall.agent.terms import Terms
from rollcall.core.context import User
from rollcall.core.errors import AgentError
from rollcall.store import budgets
from rollcall.store.budgets import Day, Known, Refused, Settlements, Slice, look_up, settle_said
from rollcall.store.limits import NONE, Amount, Limit
from rollcall.store.tenant_budgets import Draw, share

if TYPE_CHECKING:
    from google.cloud.firestore import Client

SLICE_TIME = timedelta(minutes=10)
LOOKED_AFTER = 8
"""At so many slices in a day, and at each multiple of it, who takes another looks which of them are
settled. Not at each number beyond: of runs that go on at once none may be."""

log = logging.getLogger("rollcall")


class DaySlices:
    """Takes and settles the slices of one run of a user.

    Args:
        run: The path of the run's document, where its end says there what was spent.
        now: The clock, in UTC.
    """

    def __init__(
        self, db: Client, user: User, *, run: str | None, now: Callable[[], datetime]
    ) -> None:
        self._db, self._user = db, user
        self._run, self._now = run, now
        self._said: Settlements = {}

    def heed(self, said: Settlements) -> None:
        """What another run says it spent is settled when the day is written next."""
        self._said = said

    def take_first(self, lease: DayLease, worst: Amount, terms: Terms, day: Day) -> None:
        """Put a lease's slice into a day that is about to be written: as much as `take` would, or
        what is left; none where nothing is.

        Raises:
            Unavailable: Firestore cannot be reached.
        """
        wanted = worst.most(terms.user.slice())
        if lease.draw is None:
            try:
                lease.draw = self._draw(lease, terms.tenant, least=NONE, wanted=wanted)
            except BudgetExhausted:
                return
        most = _most(wanted, lease.draw, terms.tenant)
        amount = self._part(day, terms.user, least=NONE, wanted=most)
        if amount is not None and _is_something(amount, wanted):
            day.slices[lease.id] = self._slice(amount, lease.draw)

    def take(self, lease: DayLease, least: Amount, terms: Terms) -> None:
        """Take a slice of at least `least`, and write what was spent of the one before.

        Raises:
            BudgetExhausted: The user's or the tenant's budget of the day does not allow it.
            Unavailable: Firestore cannot be reached.
        """
        wanted = least.most(lease.outstanding + terms.user.slice())
        draw = self._draw(lease, terms.tenant, least=least, wanted=wanted)
        id = new_slice_id()

        def apply(data: dict[str, Any] | None) -> dict[str, Any]:
            day = Day.of(data, uid=self._user.uid, day=lease.day)
            day.slices.pop(id, None)  # of a write that went through, and whose answer was lost
            if not lease.is_settled(data):
                day.settle(lease.id, lease.written, lease.spends)
            most = _most(wanted, draw, terms.tenant)
            amount = self._part(day, terms.user, least=least, wanted=most)
            if amount is None:
                raise Refused(_used_up(terms.user, day.used, least))
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
        self.release(lease)
        lease.id, lease.known, lease.draw, lease.spends = id, written, draw, []
        lease.written = Slice.of((written.data or {})["slices"][id])

    def settle(self, lease: DayLease) -> None:
        """Write what was spent, and give back the rest. What cannot be written is logged: the
        slice then counts as spent when its time is over."""

        def apply(data: dict[str, Any] | None) -> dict[str, Any] | None:
            if lease.is_settled(data):
                return None
            day = Day.of(data, uid=self._user.uid, day=lease.day)
            day.settle(lease.id, lease.written, lease.spends)
            day.count_expired(self._now())
            return day.dump() if data is None else day.dump_over(data)

        try:
            self._change(lease, apply)
        except AgentError as error:
            log.warning("what a run spent is not settled: %s", error)
        self.release(lease)

    def release(self, lease: DayLease) -> None:
        """Give the tenant back what was not spent of the draw, if there is one."""
        draw, lease.draw = lease.draw, None
        if draw is not None:
            self._give_back(draw, lease.spent)

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

    def _draw(
        self, lease: DayLease, tenant: Limit, *, least: Amount, wanted: Amount
    ) -> Draw | None:
        if tenant.is_none or self._user.tenant is None:
            return None
        own = share(self._db, self._user.tenant, lease.day)
        try:
            return own.draw(tenant, least=least, wanted=wanted, now=self._now())
        except Refused as error:
            if lease.draw is None or lease.outstanding != NONE:
                raise self._exhausted(error) from error
            self.release(lease)  # what is left of our own draw may do
        try:
            return own.draw(tenant, least=least, wanted=wanted, now=self._now())
        except Refused as error:
            raise self._exhausted(error) from error

    def _give_back(self, draw: Draw, spent: Amount) -> None:
        try:
            draw.share.release(draw, spent=spent)
        except AgentError as error:
            log.warning("a slice of a tenant's budget is not returned yet: %s", error)

    def _change(
        self, lease: DayLease, apply: Callable[[dict[str, Any] | None], dict[str, Any] | None]
    ) -> Known:
        reference = budgets.user_day(self._db, self._user.uid, lease.day)
        return budgets.change(self._db, reference, apply, lease.known)

    def _exhausted(self, error: Refused) -> BudgetExhausted:
        return BudgetExhausted(
            error.message,
            hint="it renews at 00:00 UTC",
            retry_after_s=budgets.until_tomorrow_s(self._now()),
        )


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
