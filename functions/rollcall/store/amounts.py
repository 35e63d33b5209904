"""Money and tokens, counted together and exactly."""

from __future__ import annotations

import math
from typing import Any

from msgspec import Struct

SLICE = 20
"""A lease takes at least one part in so many of a day's limit, so that documents are written
rarely: 5 %."""


def micro_usd(usd: float) -> int:
    """US dollars as millionths."""
    return round(usd * 1_000_000)


class Amount(Struct, frozen=True):
    """Money in millionths of a US dollar, and tokens."""

    micro_usd: int = 0
    tokens: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.micro_usd + other.micro_usd, self.tokens + other.tokens)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.micro_usd - other.micro_usd, self.tokens - other.tokens)

    def most(self, other: Amount) -> Amount:
        """The larger of each."""
        return Amount(max(self.micro_usd, other.micro_usd), max(self.tokens, other.tokens))

    def least(self, other: Amount) -> Amount:
        """The smaller of each."""
        return Amount(min(self.micro_usd, other.micro_usd), min(self.tokens, other.tokens))

    @staticmethod
    def of(data: dict[str, Any]) -> Amount:
        return Amount(data.get("microUsd", 0), data.get("tokens", 0))

    def dump(self) -> dict[str, int]:
        return {"microUsd": self.micro_usd, "tokens": self.tokens}


NONE = Amount()


class Limit(Struct, frozen=True):
    """What may be used of each; None for as much as one likes."""

    micro_usd: int | None = None
    tokens: int | None = None

    @property
    def is_none(self) -> bool:
        return self.micro_usd is None and self.tokens is None

    def allows(self, amount: Amount) -> bool:
        return _within(amount.micro_usd, self.micro_usd) and _within(amount.tokens, self.tokens)

    def lease(self, *, used: Amount, least: Amount, wanted: Amount) -> Amount | None:
        """What may be leased beside `used`: at least `least`, otherwise None; at most `wanted`."""
        if not self.allows(used + least):
            return None
        return Amount(
            _between(least.micro_usd, wanted.micro_usd, self.micro_usd, used.micro_usd),
            _between(least.tokens, wanted.tokens, self.tokens, used.tokens),
        )

    def slice(self) -> Amount:
        """What a lease takes if nobody asks for more; 0 where there is no limit."""
        return Amount(*(0 if x is None else math.ceil(x / SLICE) for x in self._both()))

    def _both(self) -> tuple[int | None, int | None]:
        return self.micro_usd, self.tokens


def _within(amount: int, limit: int | None) -> bool:
    return limit is None or amount <= limit


def _between(least: int, wanted: int, limit: int | None, used: int) -> int:
    most = max(least, wanted)
    return most if limit is None else max(least, min(most, limit - used))
