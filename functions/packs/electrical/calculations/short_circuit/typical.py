"""X/R where nobody stated one. Only asymmetry and peak depend on it, the symmetrical current and
the check against a rating do not.

Source: typical values of three-phase distribution transformers with a low-voltage secondary, as
short-circuit programs carry them; no standard's. A plate's own value is better.
"""

from __future__ import annotations

from bisect import bisect_left

from packs.electrical.calculations.short_circuit.asymmetry import breaker_xr_ratio

_KVA = (45, 75, 112.5, 150, 225, 300, 500, 750, 1000, 1500, 2000, 2500)
_XR = (1.2, 1.6, 1.9, 2.2, 2.6, 2.9, 4.0, 4.9, 5.5, 6.5, 7.3, 7.9)


def transformer_xr(kva: float) -> float:
    """X/R of a transformer: that of the next size up, for the higher asymmetry."""
    return _XR[min(bisect_left(_KVA, kva), len(_XR) - 1)]


def source_xr(amps: float) -> float:
    """X/R of a supply of which only the fault current is known: that at which breakers for this
    current are tested."""
    return breaker_xr_ratio(amps)
