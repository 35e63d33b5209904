"""Ratings of breakers and fuses: 240.6(A), and what may protect a conductor: 240.4(B), (C)."""

from __future__ import annotations

import math

from packs.electrical.nec import tables
from packs.electrical.wording import invalid

STANDARD_RATINGS: tuple[int, ...] = (
    *(15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100, 110, 125, 150, 175, 200, 225, 250),
    *(300, 350, 400, 450, 500, 600, 700, 800, 1000, 1200, 1600, 2000, 2500, 3000, 4000, 5000, 6000),
)
"""Of breakers and fuses alike, A. Fuses have five more: `fuse_ratings`. The 10 A breaker, which
Table 240.6(A) has from 2023 on, is for few circuits (210.18) and not chosen by itself."""

NEXT_SIZE_UP_TO = 800
"""240.4(B) rounds up to this rating, A; above it 240.4(C) does not."""


def fuse_ratings() -> tuple[int, ...]:
    """Return the standard ratings of fuses, ascending, A; 1, 3, 6, 10 and 601 are theirs alone."""
    return tuple(dict.fromkeys(rating for rating, _ in tables.cells("240_6_a")))


def is_standard(amps: float) -> bool:
    """Return whether a rating is one of `STANDARD_RATINGS`."""
    return amps in STANDARD_RATINGS


def next_standard(amps: float) -> int:
    """Return the smallest standard rating not below `amps`.

    Raises:
        InvalidArgument: It is not a current, or above the largest rating.
    """
    return _not_below(amps, STANDARD_RATINGS)


def next_standard_fuse(amps: float) -> int:
    """Return the smallest standard fuse not below `amps`; raises as `next_standard`."""
    return _not_below(amps, fuse_ratings())


def largest_allowed(ampacity: float) -> int:
    """Return the largest device that may protect conductors of an ampacity, A (240.4(B) and (C)).

    The ampacity itself where that is a standard rating; else the next one up, as long as that is
    not above 800 A; else the next one down. 240.4(B)(1) takes the rounding away from branch
    circuits with several receptacles for cord-and-plug loads; 240.4(D) limits small conductors
    further.

    Raises:
        InvalidArgument: It is not a current, or below every rating that may protect it.
    """
    above = _not_below(min(ampacity, STANDARD_RATINGS[-1]), STANDARD_RATINGS)
    if above <= NEXT_SIZE_UP_TO or above <= ampacity:
        return above
    return max(rating for rating in STANDARD_RATINGS if rating <= ampacity)


def _not_below(amps: float, ratings: tuple[int, ...]) -> int:
    if not math.isfinite(amps) or amps <= 0:
        raise invalid("amps", "no_current", amps=amps)
    for rating in ratings:
        if rating >= amps:
            return rating
    raise invalid("amps", "no_rating_reaches", amps=amps, most=ratings[-1])
