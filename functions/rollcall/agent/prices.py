"""What models cost: data with a date and a source, never a guess.

The providers' descriptors ship them; an operator's own entries, in the document `budgets/prices`,
come before those.
"""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Iterable
from datetime import date
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Annotated, Any

from msgspec.structs import replace
from pydantic import Field, ValidationError

from rollcall.core.errors import FailedPrecondition
from rollcall.core.options import collection_id
from rollcall.core.shapes import Wire
from rollcall.models.base import Usage
from rollcall.models.provider import plain_id, providers
from rollcall.store.budgets import Limits, limits

if TYPE_CHECKING:
    from google.cloud.firestore import Client

_FREE = "offline:"

Usd = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]

log = logging.getLogger("rollcall")


class Rates(Wire):
    """Prices in USD per million tokens. Without a rate of their own, tokens read from a cache or
    written to one cost as much as input; tokens written for long, as much as written ones."""

    input: Usd
    cached_input: Usd | None = None
    cache_write: Usd | None = None
    long_cache_write: Usd | None = None
    output: Usd

    def cost(self, usage: Usage) -> float:
        """Return the cost in millionths of a US dollar: a rate is that of one token."""
        cached = min(usage.cached_input_tokens, usage.input_tokens)
        written = min(usage.cache_write_tokens, usage.input_tokens - cached)
        long = min(usage.long_cache_write_tokens, written)
        read_rate = self.input if self.cached_input is None else self.cached_input
        write_rate = self.input if self.cache_write is None else self.cache_write
        long_rate = write_rate if self.long_cache_write is None else self.long_cache_write
        plain = (usage.input_tokens - cached - written) * self.input
        kept = cached * read_rate + (written - long) * write_rate + long * long_rate
        return plain + kept + usage.output_tokens * self.output


class LongRates(Rates):
    """The rates of a whole call whose input has more than `above` tokens."""

    above: int = Field(gt=0)


class Price(Rates):
    """What the models named in `models` cost, from the day `since` on (UTC).

    A name that ends in `*` stands for every model that begins so. `source` is where the price was
    read on the day `as_of`; `is_secondary` says that it is not the provider's own page.
    """

    models: list[Annotated[str, Field(pattern=r"^[a-z_]+:.+")]] = Field(min_length=1)
    since: date | None = None
    long: LongRates | None = None
    as_of: date | None = None
    source: str | None = None
    is_secondary: bool = False
    page: str | None = None

    def micro_usd(self, usage: Usage) -> int:
        """Return the cost in millionths of a US dollar, rounded up."""
        is_long = self.long is not None and usage.input_tokens > self.long.above
        rates: Rates = self.long if is_long and self.long is not None else self
        return math.ceil(round(rates.cost(usage), 6))

    def worst_micro_usd(self, input_tokens: int, output_tokens: int) -> int:
        """Return the most that they may cost: all input is written to a cache, or none of it."""
        plain = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        written = replace(
            plain, cache_write_tokens=input_tokens, long_cache_write_tokens=input_tokens
        )
        return max(self.micro_usd(plain), self.micro_usd(written))


NOTHING = Price(models=["offline:*"], input=0, output=0)


def is_free(model_id: str) -> bool:
    """Whether the model runs in this process, so that nobody is paid for it."""
    return plain_id(model_id).startswith(_FREE)


def find_price(model_id: str, *, on: date, own: Iterable[Price] = ()) -> Price | None:
    """Return the price of a model on a day; None where it is not known.

    The operator's `own` prices are looked at first, the shipped ones only where none of them fits.
    Among several the longest name wins, and of the same name the newest `since`.
    """
    if is_free(model_id):
        return NOTHING
    return _best(model_id, on=on, prices=own) or _best(model_id, on=on, prices=shipped())


def policy_price(
    model_id: str, *, on: date, own: Iterable[Price], allow_unpriced: bool
) -> Price | None:
    """Return the price of a model that is about to be called; None where it may go without.

    Args:
        allow_unpriced: Whether the agent's profile allows that; ROLLCALL_ALLOW_UNPRICED does, too.
    Raises:
        FailedPrecondition: The model has no price, and no policy allows that.
    """
    price = find_price(model_id, on=on, own=own)
    if price or allow_unpriced or os.environ.get("ROLLCALL_ALLOW_UNPRICED") == "true":
        return price
    raise FailedPrecondition(
        f"the price of the model {model_id!r} is not known, so it is not used",
        hint=f"add its price to the document {collection_id('budgets')}/prices, or allow models "
        "without one: allowUnpriced in the agent's overrides, or ROLLCALL_ALLOW_UNPRICED=true",
    )


def operator_prices(db: Client) -> tuple[Price, ...]:
    """Return the operator's prices, from memory while they are fresh."""
    return _read_once(limits(db))


@lru_cache(maxsize=8)
def _read_once(found: Limits) -> tuple[Price, ...]:
    return read_prices(found.prices)


@cache
def shipped() -> tuple[Price, ...]:
    """Return the prices that ship with this version: those of the providers' descriptors."""
    return tuple(
        Price.model_validate({**entry, "models": [f"{each.id}:{name}" for name in entry["models"]]})
        for each in providers()
        for entry in each.prices
    )


def read_prices(document: dict[str, Any] | None) -> tuple[Price, ...]:
    """Return the operator's entries, `{prices: [...]}`; what cannot be read is logged."""
    entries = (document or {}).get("prices", [])
    place = f"{collection_id('budgets')}/prices"
    if not isinstance(entries, list):
        log.warning("%s: prices must be a list, not %s", place, type(entries).__name__)
        return ()
    found = []
    for number, entry in enumerate(entries):
        try:
            # As JSON: strict, yet a day may be written as text.
            text = json.dumps(entry, default=str)
            found.append(Price.model_validate_json(text, strict=True))
        except (ValidationError, TypeError, ValueError) as error:
            log.warning("%s: entry %d is left out: %s", place, number, error)
    return tuple(found)


def _best(model_id: str, *, on: date, prices: Iterable[Price]) -> Price | None:
    name = plain_id(model_id)
    known = tuple(prices)
    fitting = [
        (len(pattern.removesuffix("*")), not pattern.endswith("*"), price.since or date.min, place)
        for place, price in enumerate(known)
        for pattern in price.models
        if (name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern)
        and (price.since is None or price.since <= on)
    ]
    return known[max(fitting)[-1]] if fitting else None
