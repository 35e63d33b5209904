"""What holds for a user who spends: how much a day, at which prices, and without one."""

from __future__ import annotations

import os
from datetime import date

from msgspec import Struct

from rollcall.agent.prices import Price, find_price, read_prices
from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition
from rollcall.core.options import collection_id
from rollcall.store.limits import Limit, Limits


class Terms(Struct, frozen=True):
    """A user's, read of `limits`.

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
    def of(found: Limits, user: User, *, allow_unpriced: bool) -> Terms:
        return Terms(
            limits=found,
            user=found.of_user(user).a_day,
            tenant=found.of_tenant(user.tenant).a_day if user.tenant else Limit(),
            prices=read_prices(found.prices),
            allow_unpriced=allow_unpriced,
        )

    @property
    def allows_unpriced(self) -> bool:
        """Whether a model may be used whose price is not known; so may all when
        ROLLCALL_ALLOW_UNPRICED is "true"."""
        return self.allow_unpriced or os.environ.get("ROLLCALL_ALLOW_UNPRICED") == "true"

    def find_price(self, model_id: str, *, on: date) -> Price | None:
        """A model's price on a day; None where it is not known."""
        return find_price(model_id, on=on, own=self.prices)

    def price(self, model_id: str, *, on: date) -> Price | None:
        """The price of a model that is about to be called; None where it may go without.

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
