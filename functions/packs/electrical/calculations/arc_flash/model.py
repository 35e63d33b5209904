"""The equations of IEEE Std 1584-2018: arcing current, incident energy, arc-flash boundary.

Currents in kA, voltages in kV, lengths in mm, time in ms and energy in J/cm2, as in the standard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10, pow, sqrt

from packs.electrical.calculations.arc_flash.coefficients import (
    ARCING_CURRENT,
    ENERGY,
    FITTED_KV,
    J_PER_CAL,
    VARIATION,
    Electrodes,
)

LOW_KV, MIDDLE_KV, HIGH_KV = FITTED_KV
BOUNDARY_J_CM2 = 1.2 * J_PER_CAL
"""The onset of a second-degree burn on bare skin: 1.2 cal/cm2."""
Fitted = dict[float, float]
"""A quantity at the voltages that the model is fitted at: 0.6, 2.7 and 14.3 kV."""


@dataclass(frozen=True, slots=True)
class Arc:
    """What one arc is calculated from."""

    voltage_kv: float
    electrodes: Electrodes
    bolted_ka: float
    gap_mm: float
    distance_mm: float
    enclosure_factor: float

    @property
    def is_low_voltage(self) -> bool:
        """Up to 600 V, where one fit and equation (25) serve in place of the interpolation."""
        return self.voltage_kv <= LOW_KV


@dataclass(frozen=True, slots=True)
class Current:
    """Arcing current, kA. `fitted` holds 0.6 kV only up to 600 V, else all three."""

    fitted: Fitted
    final_ka: float


@dataclass(frozen=True, slots=True)
class Exposure:
    """What an arc of some duration does.

    Attributes:
        energy_j_cm2: At the working distance.
        boundary_mm: Where 1.2 cal/cm2 is left.
    """

    fitted_energy: Fitted
    fitted_boundary: Fitted
    energy_j_cm2: float
    boundary_mm: float


def arcing_current(arc: Arc) -> Current:
    """The average arcing current, equations (1) and (16) to (18) or (25)."""
    voltages = FITTED_KV[:1] if arc.is_low_voltage else FITTED_KV
    fitted = {kv: _fitted_current(arc, kv) for kv in voltages}
    return Current(fitted, _final_current(arc, fitted))


def variation_factor(electrodes: Electrodes, voltage_kv: float) -> float:
    """VarCf, the variation of the arcing current, of which half is taken off (4.5)."""
    return _polynomial(VARIATION[electrodes], voltage_kv)


def reduced(arc: Arc, current: Current) -> Current:
    """The lower arcing current, equation (2): it may take a device longer to clear.

    Up to 600 V the fitted current stays as it is: equation (6) uses it unreduced, as example D.2
    does.
    """
    share = 1 - 0.5 * variation_factor(arc.electrodes, arc.voltage_kv)
    if arc.is_low_voltage:
        return Current(current.fitted, current.final_ka * share)
    fitted = {kv: amps * share for kv, amps in current.fitted.items()}
    return Current(fitted, interpolated(arc.voltage_kv, fitted))


def exposure(arc: Arc, current: Current, duration_ms: float) -> Exposure:
    """Incident energy and arc-flash boundary, equations (3) to (10) and (19) to (24)."""
    energy = {
        kv: _fitted_energy(arc, kv, fitted, current.final_ka, duration_ms)
        for kv, fitted in current.fitted.items()
    }
    boundary = {kv: _fitted_boundary(arc, kv, energy[kv]) for kv in energy}
    if arc.is_low_voltage:
        return Exposure(energy, boundary, energy[LOW_KV], boundary[LOW_KV])
    return Exposure(
        energy,
        boundary,
        interpolated(arc.voltage_kv, energy),
        interpolated(arc.voltage_kv, boundary),
    )


def interpolated(voltage_kv: float, fitted: Fitted) -> float:
    """A quantity above 600 V from its three fits, equations (16) to (24)."""
    low, middle, high = (fitted[kv] for kv in FITTED_KV)
    second = (high - middle) / (HIGH_KV - MIDDLE_KV) * (voltage_kv - HIGH_KV) + high
    if voltage_kv > MIDDLE_KV:
        return second
    span = MIDDLE_KV - LOW_KV
    first = (middle - low) / span * (voltage_kv - MIDDLE_KV) + middle
    return first * (MIDDLE_KV - voltage_kv) / span + second * (voltage_kv - LOW_KV) / span


def _fitted_current(arc: Arc, kv: float) -> float:
    k1, k2, k3, *powers = ARCING_CURRENT[arc.electrodes][kv]
    power = k1 + k2 * log10(arc.bolted_ka) + k3 * log10(arc.gap_mm)
    return pow(10, power) * _polynomial(powers, arc.bolted_ka)


def _final_current(arc: Arc, fitted: Fitted) -> float:
    if not arc.is_low_voltage:
        return interpolated(arc.voltage_kv, fitted)
    kv = arc.voltage_kv
    inverse_squared = (LOW_KV / kv) ** 2 * (
        1 / fitted[LOW_KV] ** 2 - (LOW_KV**2 - kv**2) / (LOW_KV**2 * arc.bolted_ka**2)
    )
    return 1 / sqrt(inverse_squared)


def _fitted_energy(
    arc: Arc, kv: float, fitted_ka: float, final_ka: float, duration_ms: float
) -> float:
    k1, k2, k3, *powers, k11, k12, k13 = ENERGY[arc.electrodes][kv]
    power = (
        k1
        + k2 * log10(arc.gap_mm)
        + k3 * fitted_ka / (_polynomial(powers, arc.bolted_ka) * arc.bolted_ka)
        + k11 * log10(arc.bolted_ka)
        + k12 * log10(arc.distance_mm)
        + k13 * log10(final_ka if arc.is_low_voltage else fitted_ka)
        - log10(arc.enclosure_factor)
    )
    return 12.552 / 50 * duration_ms * pow(10, power)


def _fitted_boundary(arc: Arc, kv: float, energy_j_cm2: float) -> float:
    """The distance at which this energy has fallen to 1.2 cal/cm2: it falls by a power of it."""
    k12 = ENERGY[arc.electrodes][kv][11]
    return arc.distance_mm * pow(BOUNDARY_J_CM2 / energy_j_cm2, 1 / k12)


def _polynomial(coefficients: Sequence[float], x: float) -> float:
    """By Horner's rule, the highest power first."""
    total = 0.0
    for coefficient in coefficients:
        total = total * x + coefficient
    return total
