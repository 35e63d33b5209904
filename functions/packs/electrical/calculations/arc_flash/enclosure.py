"""How the size of an enclosure changes the energy (IEEE 1584-2018, 4.8, Tables 6 and 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from packs.electrical.calculations.arc_flash.coefficients import (
    ENCLOSURE_SIZE,
    EQUIVALENT_SIZE,
    OPEN_AIR,
    Electrodes,
)

MM_PER_IN = 25.4
IN_PER_MM = 0.03937
"""As the standard rounds it in Table 6; the examples of Annex D depend on it."""
TEST_BOX_MM = 508.0
"""The box that the model is normalized to is 20 in on each side."""
NEARLY_BOX_MM = 660.4
LARGEST_MM = 1244.6
SHALLOW_DEPTH_MM = 203.2
SHALLOW_BELOW_KV = 0.6


@dataclass(frozen=True, slots=True)
class Enclosure:
    """Inner measures of an enclosure, mm; the height and width are those of the opening."""

    height_mm: float
    width_mm: float
    depth_mm: float


@dataclass(frozen=True, slots=True)
class SizeCorrection:
    """The correction of an enclosure, with what it was made of.

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
    """The enclosure size correction factor, equations (11) to (15).

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
    b1, b2, b3 = ENCLOSURE_SIZE[electrodes][kind]
    fitted = b1 * size**2 + b2 * size + b3
    return SizeCorrection(kind, width_in, height_in, size, 1 / fitted if shallow else fitted)


def is_shallow(enclosure: Enclosure, voltage_kv: float) -> bool:
    """Below 600 V, smaller than the test box and at most 203.2 mm (8 in) deep: all of it."""
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
    a, b = EQUIVALENT_SIZE[electrodes]
    beyond = min(size_mm, LARGEST_MM) - NEARLY_BOX_MM
    return (NEARLY_BOX_MM + beyond * (voltage_kv + a) / b) / MM_PER_IN
