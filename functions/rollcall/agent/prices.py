"""Prices of models: data with a date and a source, never a guess.

They ship in the providers' descriptors; an operator's own prices, in the document `budgets/prices`,
take precedence.
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
    """Prices in USD per million tokens. `cached_input` and `cache_write` default to the rate of
    `input`, `long_cache_write` to that of `cache_write`."""

    input: Usd
    cached_input: Usd | None = None
    cache_write: Usd | None = None
    long_cache_write: Usd | None = None
    output: Usd

    def cost(self, usage: Usage) -> float:
        """Return the cost in millionths of a US dollar, which is a rate times tokens."""
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
    """The rates for a whole call if its input has more than `above` tokens."""

    above: int = Field(gt=0)


class Price(Rates):
    """The price of the models named in `models`, from the day `since` on (UTC).

    A name that ends in `*` is a prefix. `source` is where the price was read on the day `as_of`;
    `is_secondary` says that it is not the provider's own page.
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
        """Return the highest cost of so many tokens, in millionths of a US dollar: with all input
        written to a cache, or none."""
        plain = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        written = replace(
            plain, cache_write_tokens=input_tokens, long_cache_write_tokens=input_tokens
        )
        return max(self.micro_usd(plain), self.micro_usd(written))


NOTHING = Price(models=["offline:*"], input=0, output=0)


def is_free(model_id: str) -> bool:
    """Whether the model runs in this process and costs nothing."""
    return plain_id(model_id).startswith(_FREE)


def find_price(model_id: str, *, on: date, own: Iterable[Price] = ()) -> Price | None:
    """Return the price of a model on a day; None if it is not known.

    The operator's `own` prices come first; a shipped price is used only if none of them matches.
    Of several matches the longest name wins, and for the same name the newest `since`.
    """
    if is_free(model_id):
        return NOTHING
    return _best(model_id, on=on, prices=own) or _best(model_id, on=on, prices=shipped())


def policy_price(
    model_id: str, *, on: date, own: Iterable[Price], allow_unpriced: bool
) -> Price | None:
    """Return the price of a model that is about to be called; None if it may be called without.

    Args:
        allow_unpriced: Whether the agent's profile allows that; ROLLCALL_ALLOW_UNPRICED=true also
            does.
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
    return _parsed_prices(limits(db))


@lru_cache(maxsize=8)
def _parsed_prices(current: Limits) -> tuple[Price, ...]:
    return read_prices(current.prices)


@cache
def shipped() -> tuple[Price, ...]:
    """Return the prices in the providers' descriptors, which ship with this version."""
    return tuple(
        Price.model_validate({**entry, "models": [f"{each.id}:{name}" for name in entry["models"]]})
        for each in providers()
        for entry in each.prices
    )


def read_prices(document: dict[str, Any] | None) -> tuple[Price, ...]:
    """Read the operator's document, `{prices: [...]}`; invalid entries are logged and left out."""
    entries = (document or {}).get("prices", [])
    place = f"{collection_id('budgets')}/prices"
    if not isinstance(entries, list):
        log.warning("%s: prices must be a list, not %s", place, type(entries).__name__)
        return ()
    prices = []
    for number, entry in enumerate(entries):
        try:
            # As JSON, because strict validation then still accepts a date written as text.
            text = json.dumps(entry, default=str)
            prices.append(Price.model_validate_json(text, strict=True))
        except (ValidationError, TypeError, ValueError) as error:
            log.warning("%s: entry %d is left out: %s", place, number, error)
    return tuple(prices)


def _best(model_id: str, *, on: date, prices: Iterable[Price]) -> Price | None:
    """Return the price with the most specific name for a model; None if none matches."""
    name = plain_id(model_id)
    known = tuple(prices)
    matches = [
        (len(pattern.removesuffix("*")), not pattern.endswith("*"), price.since or date.min, place)
        for place, price in enumerate(known)
        for pattern in price.models
        if (name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern)
        and (price.since is None or price.since <= on)
    ]
    return known[max(matches)[-1]] if matches else None
