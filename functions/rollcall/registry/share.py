"""A share with what its count says about it, so that nobody is fooled by small numbers."""

from __future__ import annotations

import math

from msgspec import Struct

Z = 1.959964
"""Of the standard normal distribution: 95 % lie within so many deviations."""


class Share(Struct, frozen=True):
    """`n` of `of`."""

    n: int
    of: int

    @property
    def value(self) -> float | None:
        """From 0 to 1; None of nothing."""
        return self.n / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies with 95 %, by Wilson's score; all of 0 to 1 for nothing."""
        if not self.of:
            return 0.0, 1.0
        share, z2 = self.n / self.of, Z * Z
        middle = share + z2 / (2 * self.of)
        half = Z * math.sqrt(share * (1 - share) / self.of + z2 / (4 * self.of**2))
        scale = 1 + z2 / self.of
        return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        low, high = self.interval
        return f"{self.value:.0%} ({low:.0%}–{high:.0%}, {self.n} of {self.of})"


def difference(one: Share, other: Share) -> tuple[float, float]:
    """Where the difference of two shares lies with 95 %, by Newcombe's method of 1998 (his tenth);
    where 0 is within, the two may well be the same."""
    if not (one.of and other.of):
        return -1.0, 1.0
    a, b = one.n / one.of, other.n / other.of
    (low_a, high_a), (low_b, high_b) = one.interval, other.interval
    low = a - b - math.hypot(a - low_a, high_b - b)
    return low, a - b + math.hypot(high_a - a, b - low_b)
