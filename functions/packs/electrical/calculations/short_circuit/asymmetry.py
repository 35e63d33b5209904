"""How far a fault current is out of symmetry in its first half cycle, by X/R at the fault."""

from __future__ import annotations

from math import exp, pi, sqrt

_TEST_POWER_FACTORS = ((10_000, 0.50), (20_000, 0.30), (float("inf"), 0.20))
"""Up to a rating in A, the highest power factor that UL 489 tests molded-case breakers at."""


def asymmetrical_factor(xr_ratio: float) -> float:
    """Asymmetrical RMS current over the symmetrical one, half a cycle after the fault."""
    return sqrt(1 + 2 * exp(-2 * pi / xr_ratio)) if xr_ratio > 0 else 1.0


def peak_factor(xr_ratio: float) -> float:
    """The highest instantaneous current of the first half cycle over the symmetrical RMS one."""
    return sqrt(2) * (1 + exp(-pi / xr_ratio)) if xr_ratio > 0 else sqrt(2)


def breaker_xr_ratio(rating_a: float) -> float:
    """The X/R at which a molded-case breaker of this interrupting rating is tested (UL 489)."""
    power_factor = next(pf for most, pf in _TEST_POWER_FACTORS if rating_a <= most)
    return sqrt(1 - power_factor**2) / power_factor


def duty_factor(xr_ratio: float, rating_a: float) -> float:
    """What the symmetrical current counts for against a rating: more than 1 where X/R is above that
    of the breaker's test, since its first peak is higher; never less."""
    return max(1.0, peak_factor(xr_ratio) / peak_factor(breaker_xr_ratio(rating_a)))
