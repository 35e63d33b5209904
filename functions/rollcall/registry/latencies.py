"""How long calls took, as counts in a few fixed classes: they add up, however many there are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

BOUNDS_MS = (10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000)
"""Upper ends of the classes; the last class has none."""

Counts = list[int]


def none() -> Counts:
    """Counts of nothing."""
    return [0] * (len(BOUNDS_MS) + 1)


def count(counts: Counts, ms: float) -> None:
    """Add one call."""
    counts[bisect_left(BOUNDS_MS, ms)] += 1


def add(counts: Counts, others: Sequence[int]) -> None:
    """Add the calls of others."""
    for place, number in enumerate(others[: len(counts)]):
        counts[place] += number


def quantile(counts: Sequence[int], share: float) -> int | None:
    """The time, ms, within which this share of the calls ended, read off between the ends of its
    class; 30,000 stands for all above. None where there were no calls."""
    total = sum(counts)
    if not total:
        return None
    wanted, below = share * total, 0
    for place, number in enumerate(counts[:-1]):
        if number and below + number >= wanted:
            low = BOUNDS_MS[place - 1] if place else 0
            within = (wanted - below) / number
            return round(low + within * (BOUNDS_MS[place] - low))
        below += number
    return BOUNDS_MS[-1]
