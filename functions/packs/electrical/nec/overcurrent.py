"""Ratings of breakers and fuses: 240.6(A), and what may protect a conductor: 240.4(B), (C)."""

from __future__ import annotations

import math

from packs.electrical.nec import tables
from packs.electrical.nec.editions import Edition
from packs.electrical.wording import TEXTS, invalid
from rollcall.core.texts import Text

STANDARD_RATINGS: tuple[int, ...] = (
    *(15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100, 110, 125, 150, 175, 200, 225, 250),
    *(300, 350, 400, 450, 500, 600, 700, 800, 1000, 1200, 1600, 2000, 2500, 3000, 4000, 5000, 6000),
)
"""Standard ratings of both breakers and fuses, A. Fuses have five more: `fuse_ratings`. The 10 A
breaker, which Table 240.6(A) has from 2023 on, is for few circuits (210.18) and is never
proposed."""

TEN_AMPERES, TEN_AMPERES_SINCE = 10, 2023
NEXT_SIZE_UP_TO = 800
"""240.4(B) rounds up to this rating, A; above it 240.4(C) does not."""


def fuse_ratings() -> tuple[int, ...]:
    """Return the standard ratings of fuses, ascending, A; 1, 3, 6, 10 and 601 are theirs alone."""
    return tuple(dict.fromkeys(rating for rating, _ in tables.cells("240_6_a")))


def next_standard(amps: float, ratings: tuple[int, ...] = STANDARD_RATINGS) -> int:
    """Return the smallest standard rating not below `amps`.

    Raises:
        InvalidArgument: It is not a current, or above the largest rating.
    """
    if not math.isfinite(amps) or amps <= 0:
        raise invalid("loadAmps", "no_current", amps=amps)
    for rating in ratings:
        if rating >= amps:
            return rating
    raise invalid("loadAmps", "no_rating_reaches", amps=amps, most=ratings[-1])


def not_standard(amps: float, edition: Edition) -> Text | None:
    """Say that a breaker's rating is none of 240.6(A), with the nearest ones; None if it is one."""
    if amps in STANDARD_RATINGS or (amps == TEN_AMPERES and edition >= TEN_AMPERES_SINCE):
        return None
    near = sorted(STANDARD_RATINGS, key=lambda rating: abs(rating - amps))[:2]
    values = {"below": min(near), "above": max(near)}
    return TEXTS.text("errors.not_standard", breaker_amps=amps, **values)


def standard_not_above(amps: float) -> int:
    """Return the largest standard rating not above `amps`; 0 below all of them."""
    return max((rating for rating in STANDARD_RATINGS if rating <= amps), default=0)


def largest_allowed(ampacity: float) -> int:
    """Return the largest device that may protect conductors of an ampacity, A (240.4(B) and (C)).

    The ampacity itself where that is a standard rating; else the next one up, if that is not above
    800 A; else the next one down. Up to 10 A it is 10 A: a rating of fuses, and of breakers from
    2023 on. Callers apply 240.4(B)(1), which allows no rounding up for branch circuits with several
    receptacles for cord-and-plug loads, and 240.4(D) for small conductors.

    Raises:
        InvalidArgument: It is not a current, or below every rating that may protect it.
    """
    above = next_standard(min(ampacity, STANDARD_RATINGS[-1]), (TEN_AMPERES, *STANDARD_RATINGS))
    if above <= NEXT_SIZE_UP_TO or above <= ampacity:
        return above
    return standard_not_above(ampacity)
