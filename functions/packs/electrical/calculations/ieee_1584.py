"""The model of IEEE Std 1584-2018: arcing current, incident energy, arc-flash boundary.

Currents in kA, voltages in kV, lengths in mm, time in ms and energy in J/cm2, as in the standard;
its equations by their numbers. The constants of its Tables 1 to 7 are in `ieee_1584.json`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from math import log10, pow, sqrt
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from packs.electrical.wording import MM_PER_IN, TEXTS
from rollcall.core.errors import InvalidArgument

Electrodes = Literal["VCB", "VCBB", "HCB", "VOA", "HOA"]
OPEN_AIR: frozenset[Electrodes] = frozenset({"VOA", "HOA"})
"""Configurations without an enclosure."""

FITTED_KV = LOW_KV, MIDDLE_KV, HIGH_KV = (0.6, 2.7, 14.3)
"""The voltages that the model is fitted at."""

Fitted = dict[float, float]
"""A quantity at the voltages that the model is fitted at."""

J_PER_CAL = 4.184
BOUNDARY_J_CM2 = 1.2 * J_PER_CAL
"""The onset of a second-degree burn on bare skin: 1.2 cal/cm2."""

IN_PER_MM = 0.03937
"""As the standard rounds it in Table 6; the examples of Annex D depend on it."""

TEST_BOX_MM = 508.0
"""The box that the model is normalized to is 20 in on each side."""

NEARLY_BOX_MM = 660.4
LARGEST_MM = 1244.6
SHALLOW_DEPTH_MM = 203.2
SHALLOW_BELOW_KV = 0.6

VOLTAGE_V = (208.0, 15_000.0)
BOLTED_KA = {"low": (0.5, 106.0), "medium": (0.2, 65.0)}
GAP_MM = {"low": (6.35, 76.2), "medium": (19.05, 254.0)}
WORKING_DISTANCE_MM = 304.8
"""12 in; the standard writes it as 305 mm."""

OPENING_M2 = 1.549
GAPS_IN_WIDTH = 4


class Coefficients(Struct, frozen=True):
    """The constants of Tables 1 to 7, by electrode configuration.

    Attributes:
        arcing_current: Table 1, for equation (1): k1 to k10 by voltage, kV.
        variation: Table 2, for equation (2): k1 to k7.
        energy: Tables 3, 4 and 5, for equations (3) to (10): k1 to k13 by voltage, kV.
        equivalent_size: Table 6, for equations (11) and (12): A and B.
        enclosure_size: Table 7, for equations (14) and (15): b1, b2, b3 by kind of enclosure.
    """

    arcing_current: dict[str, dict[float, list[float]]]
    variation: dict[str, list[float]]
    energy: dict[str, dict[float, list[float]]]
    equivalent_size: dict[str, list[float]]
    enclosure_size: dict[str, dict[str, list[float]]]


@cache
def coefficients() -> Coefficients:
    """Read the constants."""
    data = json.loads(Path(__file__).with_name("ieee_1584.json").read_text(encoding="utf-8"))

    def by_kv(table: dict[str, Any]) -> dict[str, dict[float, list[float]]]:
        return {key: {float(kv): row for kv, row in rows.items()} for key, rows in table.items()}

    return Coefficients(
        by_kv(data["arcing_current"]),
        data["variation"],
        by_kv(data["energy"]),
        data["equivalent_size"],
        data["enclosure_size"],
    )


class Arc(Struct, frozen=True):
    """One arc."""

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


class Current(Struct, frozen=True):
    """Arcing current, kA. `fitted` holds 0.6 kV only up to 600 V, else all three."""

    fitted: Fitted
    final_ka: float


class Exposure(Struct, frozen=True):
    """The effect of an arc of some duration.

    Attributes:
        energy_j_cm2: At the working distance.
        boundary_mm: The distance at which 1.2 cal/cm2 is left.
    """

    fitted_energy: Fitted
    fitted_boundary: Fitted
    energy_j_cm2: float
    boundary_mm: float


def arcing_current(arc: Arc) -> Current:
    """Calculate the average arcing current, equations (1) and (16) to (18) or (25)."""
    voltages = FITTED_KV[:1] if arc.is_low_voltage else FITTED_KV
    fitted = {kv: _fitted_current(arc, kv) for kv in voltages}
    if not arc.is_low_voltage:
        return Current(fitted, interpolated(arc.voltage_kv, fitted))
    kv = arc.voltage_kv
    inverse_squared = (LOW_KV / kv) ** 2 * (
        1 / fitted[LOW_KV] ** 2 - (LOW_KV**2 - kv**2) / (LOW_KV**2 * arc.bolted_ka**2)
    )
    return Current(fitted, 1 / sqrt(inverse_squared))


def variation_factor(electrodes: Electrodes, voltage_kv: float) -> float:
    """VarCf, the variation of the arcing current; the reduced current is lower by half of it
    (4.5)."""
    return _polynomial(coefficients().variation[electrodes], voltage_kv)


def reduced_current(arc: Arc, current: Current) -> Current:
    """Calculate the reduced arcing current, equation (2): a device may take longer to clear it.

    Up to 600 V the fitted current is not reduced: equation (6) and example D.2 use it unreduced.
    """
    share = 1 - 0.5 * variation_factor(arc.electrodes, arc.voltage_kv)
    if arc.is_low_voltage:
        return Current(current.fitted, current.final_ka * share)
    fitted = {kv: amps * share for kv, amps in current.fitted.items()}
    return Current(fitted, interpolated(arc.voltage_kv, fitted))


def exposure(arc: Arc, current: Current, duration_ms: float) -> Exposure:
    """Calculate incident energy and arc-flash boundary, equations (3) to (10) and (19) to (24)."""
    energy = {
        kv: _fitted_energy(arc, kv, fitted, current.final_ka, duration_ms)
        for kv, fitted in current.fitted.items()
    }
    boundary = {}
    for kv, fitted in energy.items():  # it falls with a power of the distance
        k12 = coefficients().energy[arc.electrodes][kv][11]
        boundary[kv] = arc.distance_mm * pow(BOUNDARY_J_CM2 / fitted, 1 / k12)
    if arc.is_low_voltage:
        return Exposure(energy, boundary, energy[LOW_KV], boundary[LOW_KV])
    return Exposure(
        energy,
        boundary,
        interpolated(arc.voltage_kv, energy),
        interpolated(arc.voltage_kv, boundary),
    )


def interpolated(voltage_kv: float, fitted: Fitted) -> float:
    """Interpolate a quantity above 600 V from its three fits, equations (16) to (24)."""
    low, middle, high = (fitted[kv] for kv in FITTED_KV)
    second = (high - middle) / (HIGH_KV - MIDDLE_KV) * (voltage_kv - HIGH_KV) + high
    if voltage_kv > MIDDLE_KV:
        return second
    span = MIDDLE_KV - LOW_KV
    first = (middle - low) / span * (voltage_kv - MIDDLE_KV) + middle
    return first * (MIDDLE_KV - voltage_kv) / span + second * (voltage_kv - LOW_KV) / span


def _fitted_current(arc: Arc, kv: float) -> float:
    k1, k2, k3, *powers = coefficients().arcing_current[arc.electrodes][kv]
    power = k1 + k2 * log10(arc.bolted_ka) + k3 * log10(arc.gap_mm)
    return pow(10, power) * _polynomial(powers, arc.bolted_ka)


def _fitted_energy(
    arc: Arc, kv: float, fitted_ka: float, final_ka: float, duration_ms: float
) -> float:
    k1, k2, k3, *powers, k11, k12, k13 = coefficients().energy[arc.electrodes][kv]
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


def _polynomial(coefficients: Sequence[float], x: float) -> float:
    """Evaluate a polynomial by Horner's rule, the highest power first."""
    total = 0.0
    for coefficient in coefficients:
        total = total * x + coefficient
    return total


# ---- Size of the enclosure (4.8) ----


class Enclosure(Struct, frozen=True):
    """Inner measures of an enclosure, mm; the height and width are those of the opening."""

    height_mm: float
    width_mm: float
    depth_mm: float

    @property
    def text(self) -> str:
        """`355.6 x 304.8 x 204`."""
        return f"{self.height_mm:g} x {self.width_mm:g} x {self.depth_mm:g}"


class SizeCorrection(Struct, frozen=True):
    """The correction for an enclosure, with its intermediate values.

    Attributes:
        kind: None in open air.
        width_in: Equivalent width, in.
        height_in: Equivalent height, in.
        equivalent_in: Equivalent enclosure size (EES), in.
        factor: CF; the energy is divided by it, so a larger one means less.
    """

    kind: Literal["typical", "shallow"] | None
    width_in: float | None
    height_in: float | None
    equivalent_in: float | None
    factor: float


def size_correction(
    enclosure: Enclosure | None, electrodes: Electrodes, voltage_kv: float
) -> SizeCorrection:
    """Calculate the enclosure size correction factor, equations (11) to (15).

    Args:
        enclosure: None only for the configurations in open air, whose factor is 1.
    """
    if electrodes in OPEN_AIR or enclosure is None:
        return SizeCorrection(None, None, None, None, 1.0)
    shallow = is_shallow(enclosure, voltage_kv)
    width_in = _equivalent(enclosure.width_mm, electrodes, voltage_kv, shallow=shallow)
    height_in = _equivalent(
        enclosure.height_mm, electrodes, voltage_kv, shallow=shallow, upright=electrodes == "VCB"
    )
    size = (width_in + height_in) / 2
    kind: Literal["typical", "shallow"] = "shallow" if shallow else "typical"
    b1, b2, b3 = coefficients().enclosure_size[electrodes][kind]
    fitted = b1 * size**2 + b2 * size + b3
    return SizeCorrection(kind, width_in, height_in, size, 1 / fitted if shallow else fitted)


def is_shallow(enclosure: Enclosure, voltage_kv: float) -> bool:
    """Whether an enclosure is smaller than the test box, at most 203.2 mm (8 in) deep, and the
    voltage below 600 V."""
    return (
        voltage_kv < SHALLOW_BELOW_KV
        and enclosure.height_mm < TEST_BOX_MM
        and enclosure.width_mm < TEST_BOX_MM
        and enclosure.depth_mm <= SHALLOW_DEPTH_MM
    )


def _equivalent(
    size_mm: float,
    electrodes: Electrodes,
    voltage_kv: float,
    *,
    shallow: bool,
    upright: bool = False,
) -> float:
    """Table 6: the equivalent height or width, in.

    Args:
        upright: The height of VCB, which grows with the enclosure's own.
    """
    if size_mm < TEST_BOX_MM and not shallow:
        return TEST_BOX_MM / MM_PER_IN
    if size_mm <= NEARLY_BOX_MM or upright:
        return IN_PER_MM * min(size_mm, LARGEST_MM)
    a, b = coefficients().equivalent_size[electrodes]
    beyond = min(size_mm, LARGEST_MM) - NEARLY_BOX_MM
    return (NEARLY_BOX_MM + beyond * (voltage_kv + a) / b) / MM_PER_IN


# ---- Range of validity ----


def check_range(
    *,
    voltage_v: float,
    bolted_ka: float,
    gap_mm: float,
    working_distance_mm: float,
    electrodes: Electrodes,
    enclosure: Enclosure | None,
) -> None:
    """Refuse parameters outside the range of the model (4.2).

    Raises:
        InvalidArgument: One is outside; the message has the range, and `field` the name.
    """
    _within("voltage", voltage_v, VOLTAGE_V, "arc_voltage")
    band = "low" if voltage_v / 1000 <= LOW_KV else "medium"
    _within("boltedFaultKa", bolted_ka, BOLTED_KA[band], f"arc_fault_current_{band}")
    _within("gapMm", gap_mm, GAP_MM[band], f"arc_gap_{band}")
    if not round(working_distance_mm, 6) >= WORKING_DISTANCE_MM:  # NaN too
        raise _outside("workingDistanceMm", "arc_distance", value=working_distance_mm)
    if electrodes not in OPEN_AIR:
        _check_enclosure(enclosure, electrodes, gap_mm)


def _check_enclosure(enclosure: Enclosure | None, electrodes: Electrodes, gap_mm: float) -> None:
    if enclosure is None:
        raise _outside("enclosure", "arc_enclosure", electrodes=electrodes)
    for name, size in (("Height", enclosure.height_mm), ("Width", enclosure.width_mm)):
        if not 0 < size <= LARGEST_MM:
            key = f"arc_enclosure_{name.lower()}"
            raise _outside(f"enclosure{name}Mm", key, value=size, most=LARGEST_MM)
    if not enclosure.depth_mm > 0:
        raise _outside("enclosureDepthMm", "arc_enclosure_depth", value=enclosure.depth_mm)
    area_m2 = enclosure.height_mm * enclosure.width_mm / 1e6
    if area_m2 > OPENING_M2 + 1e-3:  # 1.549 m2 is 49 in by 49 in, rounded down
        raise _outside("enclosureHeightMm", "arc_opening", value=area_m2, most=OPENING_M2)
    if enclosure.width_mm < GAPS_IN_WIDTH * gap_mm:
        least = GAPS_IN_WIDTH * gap_mm
        values = {"value": enclosure.width_mm, "gap": gap_mm, "least": least}
        raise _outside("enclosureWidthMm", "arc_enclosure_of_gap", **values)


def _within(field: str, value: float, bounds: tuple[float, float], key: str) -> None:
    least, most = bounds
    if not least <= value <= most:
        raise _outside(field, key, value=value, least=least, most=most)


def _outside(field: str, key: str, **values: object) -> InvalidArgument:
    hint = TEXTS.text("hints.arc_range")
    return InvalidArgument(TEXTS.text(f"errors.{key}", **values), field=field, hint=hint)
