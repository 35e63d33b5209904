"""What a run may spend on models, out of the user's and the tenant's budget of the day.

The worst case of each call is reserved before it, and its cost settled after it. The batch that
opens the run reserves the first call; the batch that saves a reply settles its call and reserves
the next; the batch that ends the run settles the rest (`store/open_run.py`). What these do not
cover, such as a request longer than estimated, is reserved by a separate write. See
docs/decisions/16-budgets.md.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from rollcall.agent.prices import find_price, is_free, operator_prices, policy_price
from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.texts import TEXTS
from rollcall.models.base import Usage
from rollcall.store import paths
from rollcall.store.batches import attempts, try_commit, write_unchanged
from rollcall.store.budgets import (
    NONE,
    Amount,
    BudgetExhausted,
    Day,
    TenantDay,
    TenantLimits,
    UserLimits,
    increments,
    limits,
    reservation,
    used_sum,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

FIRST_INPUT_TOKENS = 6_000
"""The input of most turns' first requests: instructions, a few tools, some messages."""
MORE_INPUT_TOKENS = 4_000
"""How much a step's request grows over the one before, in most turns."""
WAIT_S = 4.0
"""How long a call waits for other runs to free what they have reserved of the user's or tenant's
day."""

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
    """Money and tokens, reserved before a model call and settled after it.

    This class itself has no limit: it serves models that cost nothing, and work that somebody else
    pays for."""

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        """Reserve the worst case of one call.

        Raises:
            BudgetExhausted: The user's or the tenant's budget of the day does not allow it.
            FailedPrecondition: The model has no price, and no policy allows that.
            Unavailable: Firestore cannot be reached.
        """
        return Reservation(model_id, input_tokens, output_tokens)

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        """Count what a call used, and return its cost in US dollars; None without a price.

        Args:
            usage: What was used, within the reservation; None if the provider refused the call and
                nothing was used.
        """
        return 0.0

    def close(self) -> None:
        """Settle the calls that no save of the run has settled. Never raises: a failed write is
        logged, and the reservation then counts as spent."""


class UserBudget(Budget):
    """The budget of one run of a user, or of one call outside of a run. Close it at the end.

    Args:
        run: The path of the run's document, if it has one.
        models: The models that the run may call, in their order.
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
        self._db, self._user, self._run, self._now = db, user, run, now
        self._allow_unpriced = allow_unpriced
        first = models[0] if models else "offline:"
        self._next = Reservation(first, FIRST_INPUT_TOKENS, output_tokens)
        """The estimated worst case of the next call."""
        self._day = now().astimezone(UTC).date()
        """The day that pays: the one on which the run begins."""
        self._tenant_day: TenantDay | None = None
        """The tenant's day, if the tenant has a limit."""
        self._id = f"s{uuid.uuid4().hex[:15]}"
        self._reserved, self._ahead = NONE, NONE
        """What is reserved under this id, and what will be once the pending write is committed."""
        self._is_within = self._is_checked = False
        """Whether the user's limit allows the reservation, and whether the tenant's was checked."""
        self._under_way = NONE
        """What is reserved for calls under way."""
        self._cost = NONE
        self._counts: dict[str, dict[str, int]] = {}
        """The cost of calls that are not written to the day yet, and their counts by model."""
        self._place: int | None = None
        self._entry: Any = None
        """The pending write's place in its batch, and the entry that it leaves in the day."""

    # ---- Writes in the run's own batches ----

    def reserve_first(self, day: Day, batch: WriteBatch, id: str) -> None:
        """Reserve the first call, under this id, in a day that the batch writes.

        Call it once for each try of the batch; the last try counts. A call that is free is not
        reserved, nor one that may not be made: `reserve` later raises the error."""
        self._day, self._ahead = day.day, NONE
        if is_free(self._next.model_id):
            return
        try:
            self._next = self._priced(self._next)
        except FailedPrecondition:
            return
        worst = self._next.amount
        if not self._limit.allows(day.used + worst):
            return
        day.reservations[id] |= worst.dump("reserved")
        day.reserved += worst
        self._ahead, self._tenant_day = worst, self._find_tenant_day()
        if self._tenant_day:
            self._tenant_day.add(batch, reserved=worst)

    def begin(self, id: str) -> None:
        """Start from what the opening batch has reserved under this id."""
        self._id, self._reserved = id, self._ahead
        self._is_within = self._reserved != NONE

    def write(self, batch: WriteBatch, *, is_last: bool = False, is_over: bool = True) -> None:
        """Add the cost of past calls and the reservation of the next one to a save of the run.

        The last save reserves nothing. A run that has neither reserved nor spent writes nothing.

        Args:
            is_over: Whether the run ends with the last save. A run that another process will
                continue keeps its entry, without a reservation, and counts as under way.
        """
        from google.cloud.firestore import DELETE_FIELD, Increment

        self._place = None
        if self._is_settled:
            return
        self._place, self._ahead = len(batch), NONE if is_last else self._next.amount
        is_out = is_last and is_over
        self._entry = None if is_out else reservation(self._ahead, self._run, self._now())
        fields: dict[str, Any] = {"reservations": {self._id: self._entry or DELETE_FIELD}}
        if self._counts:  # an empty map would replace what is there
            fields["models"] = {
                model_id: {name: Increment(number) for name, number in counts.items()}
                for model_id, counts in self._counts.items()
            }
        sums = {"reserved": self._ahead - self._reserved, "spent": self._cost}
        batch.set(self._reference, fields | increments(**sums), merge=True)
        if self._tenant_day:
            self._tenant_day.add(batch, **sums)

    def wrote(self, written: Sequence[Any]) -> None:
        """Note that the save is committed, with these write results; empty if the answer was
        lost."""
        if self._place is not None:
            used = used_sum(written[self._place]) if written else None
            self._note_settled(used is not None and self._limit.allows(used))

    # ---- Calls ----

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        from google.api_core.exceptions import GoogleAPICallError, RetryError

        call = Reservation(model_id, input_tokens, output_tokens)
        if is_free(model_id):
            return call
        call = self._priced(call)
        try:
            self._cover(call.amount)
        except (GoogleAPICallError, RetryError) as error:
            message = TEXTS.text("errors.budget_unreadable", error=error)
            raise Unavailable(message) from error
        self._next = self._priced(replace(call, input_tokens=input_tokens + MORE_INPUT_TOKENS))
        return call

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        model_id = reservation.model_id
        if is_free(model_id):
            return 0.0
        price = find_price(model_id, on=self._day, own=operator_prices(self._db))
        self._under_way -= reservation.amount
        cost = price.micro_usd(usage) if price and usage else 0
        if usage is not None:
            self._cost += Amount(cost, usage.input_tokens + usage.output_tokens)
            counts = {
                "calls": 1,
                "inputTokens": usage.input_tokens,
                "cachedInputTokens": usage.cached_input_tokens,
                "outputTokens": usage.output_tokens,
                "microUsd": cost,
                "unpricedCalls": int(price is None),
                "estimatedCalls": int(usage.is_estimated),
            }
            sums = self._counts.get(model_id, {})
            self._counts[model_id] = {key: sums.get(key, 0) + counts[key] for key in counts}
        return cost / 1_000_000 if price else None

    def close(self) -> None:
        from google.api_core.exceptions import GoogleAPICallError, RetryError

        if self._is_settled:
            return
        try:
            if self._place is not None:  # the outcome of the last save is unknown
                day = Day.of(self._reference.get().to_dict(), self._day)
                if day.reservations.get(self._id) == self._entry:
                    self.wrote(())
            if not self._is_settled:
                self._write_alone(NONE, is_end=True)
        except (GoogleAPICallError, RetryError, Unavailable) as error:
            log.warning("what a run spent is not settled: %s", error)

    # ---- Separate writes ----

    def _cover(self, worst: Amount) -> None:
        """Make sure that one more call is reserved, within both limits; a separate write reserves
        what no save of the run has. Wait a little if only other runs' reservations are in the
        way."""
        needed = self._under_way + worst
        for _ in attempts(within_s=WAIT_S):
            try:
                if self._is_settled:
                    self._tenant_day = self._find_tenant_day()
                if not (self._is_within and self._reserved.covers(needed + self._cost)):
                    self._write_alone(needed, limit=self._limit)
                if self._tenant_day and not self._is_checked:
                    self._tenant_day.check(self._tenant_limit, worst)
                self._under_way, self._is_checked = needed, True
                return
            except BudgetExhausted as error:
                failure = error
            if self._reserved != self._under_way or self._counts:
                self._write_alone(self._under_way)
            if not failure.is_for_now:
                break
        raise failure

    def _write_alone(
        self, ahead: Amount, *, limit: UserLimits | None = None, is_end: bool = False
    ) -> None:
        """Settle the calls so far and set the reservation, in a write that fails if the day has
        changed since it was read. At the run's end, remove its entry.

        Args:
            ahead: What is reserved from then on.
            limit: The limit that has to allow it.
        """
        from google.api_core.exceptions import GoogleAPICallError, RetryError

        entry = None
        if not is_end and (self._run is not None or ahead != NONE):
            entry = reservation(ahead, self._run, self._now())
        contended = TEXTS.text("errors.too_many_paid_calls")
        failure: Exception = Unavailable(contended, retry_after_s=1)
        for number in attempts():
            try:
                snapshot = self._reference.get()
                day = Day.of(snapshot.to_dict(), self._day)
                there = day.reservations.pop(self._id, None)
                if number and there == entry:
                    break  # an earlier try was committed, and its answer was lost
                if snapshot.exists:
                    day.reserved -= self._reserved
                else:
                    day.uid = self._user.uid
                day.settle(self._cost, self._counts)
                if limit and not limit.allows(day.used + ahead):
                    raise BudgetExhausted.of(limit, day, ahead)
                day.reserved += ahead
                if entry:
                    day.reservations[self._id] = entry
                batch = self._db.batch()
                write_unchanged(batch, snapshot, day.dump())
                if self._tenant_day:
                    self._tenant_day.add(batch, reserved=ahead - self._reserved, spent=self._cost)
                if try_commit(batch) is not None:
                    break
            except (GoogleAPICallError, RetryError) as error:
                failure = error
        else:
            raise failure
        self._ahead = ahead
        self._note_settled(True)

    def _note_settled(self, is_within: bool) -> None:
        self._reserved, self._cost, self._counts = self._ahead, NONE, {}
        self._is_within, self._is_checked, self._place = is_within, False, None

    @property
    def _is_settled(self) -> bool:
        return self._reserved == NONE and not self._counts

    @property
    def _limit(self) -> UserLimits:
        return limits(self._db).of_user(self._user)

    @property
    def _tenant_limit(self) -> TenantLimits:
        return limits(self._db).of_tenant(self._user.tenant)

    @property
    def _reference(self) -> DocumentReference:
        return paths.user_day(self._db, self._user.uid, self._day)

    def _find_tenant_day(self) -> TenantDay | None:
        if self._user.tenant is None or self._tenant_limit.is_none:
            return None
        return TenantDay(self._db, self._user.tenant, self._day)

    def _priced(self, call: Reservation) -> Reservation:
        """Return the reservation with its cost; 0 without a price."""
        own, allow = operator_prices(self._db), self._allow_unpriced
        price = policy_price(call.model_id, on=self._day, own=own, allow_unpriced=allow)
        worst = price.worst_micro_usd(call.input_tokens, call.output_tokens) if price else 0
        return replace(call, micro_usd=worst)
