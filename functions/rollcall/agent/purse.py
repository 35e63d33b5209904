"""What a turn may spend on models, as the loop sees it."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from rollcall.core.errors import ResourceExhausted
from rollcall.models.base import Usage


class BudgetExhausted(ResourceExhausted):
    """The budget of the user or of the tenant is used up: no model may be called now."""


class Reservation(Struct, frozen=True):
    """What was set aside for one model call: its worst case."""

    model_id: str
    tokens: int
    micro_usd: int


class Purse(Protocol):
    """Money and tokens are set aside before a model call and settled after it."""

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        """Set aside the worst case of one call.

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
        """Write what is not written yet, and give back what is set aside. Never raises."""


class Free:
    """For models that cost nothing, and for work that somebody else pays."""

    def reserve(self, model_id: str, *, input_tokens: int, output_tokens: int) -> Reservation:
        return Reservation(model_id, input_tokens + output_tokens, 0)

    def settle(self, reservation: Reservation, usage: Usage | None) -> float | None:
        return 0.0

    def close(self) -> None:
        """There is nothing to give back."""
