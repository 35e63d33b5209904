"""The formulas of the point-to-point method: currents in A, voltages in V between lines, lengths in
ft one way.

Source: Bussmann (Eaton), Selecting Protective Devices, "Short-circuit current calculations". The
method adds impedances by their size alone, as if all had one angle.
"""

from __future__ import annotations

from math import sqrt
from typing import Literal

Phases = Literal[1, 3]

UL_TOLERANCE = 0.9
"""Listed transformers of 25 kVA and more may have 10 % less impedance than their plate says."""

NEUTRAL_FACTOR = 1.5
"""Fault current to the neutral over that between lines, at the terminals of a single-phase
transformer tapped in the middle. An approximation: it lies between 1.33 and 1.67."""

LINE_TO_LINE = sqrt(3) / 2
"""Fault current between two lines of a three-phase system over that of all three."""


def full_load_amps(kva: float, voltage_v: float, phases: Phases) -> float:
    """The rated current of a transformer's winding, A."""
    return kva * 1000 / (voltage_v * _root(phases))


def at_terminals(kva: float, voltage_v: float, impedance_percent: float, phases: Phases) -> float:
    """Fault current at a transformer's secondary terminals with an infinite bus before it, A.

    Args:
        impedance_percent: As it counts: times `UL_TOLERANCE` for the worst case.
    """
    return full_load_amps(kva, voltage_v, phases) * 100 / impedance_percent


def conductor_f(
    amps: float,
    voltage_v: float,
    phases: Phases,
    *,
    length_ft: float,
    c_value: float,
    sets: int = 1,
) -> float:
    """The factor f of a run of conductors: their impedance over that of all before them.

    Args:
        voltage_v: Between lines; for a fault to the neutral, to the neutral.
        phases: 1 counts the way there and back.
        c_value: Of one conductor; `sets` in parallel have as many times it.
    """
    ways = sqrt(3) if phases == 3 else 2
    return ways * length_ft * amps / (c_value * sets * voltage_v)


def transformer_f(
    primary_amps: float,
    primary_v: float,
    phases: Phases,
    *,
    kva: float,
    impedance_percent: float,
) -> float:
    """The factor f of a transformer whose primary fault current is known."""
    return primary_amps * primary_v * _root(phases) * impedance_percent / (100_000 * kva)


def multiplier(f: float) -> float:
    """M, the share of the current before that is left after."""
    return 1 / (1 + f)


def _root(phases: Phases) -> float:
    return sqrt(3) if phases == 3 else 1.0
