"""The range that the model of IEEE 1584-2018 was made for (4.2). Outside it has no meaning, so it
is refused, with the range and the name of what is outside."""

from __future__ import annotations

from packs.electrical.calculations.arc_flash.coefficients import OPEN_AIR, Electrodes
from packs.electrical.calculations.arc_flash.enclosure import LARGEST_MM, Enclosure
from rollcall.core.errors import InvalidArgument

VOLTAGE_V = (208.0, 15_000.0)
FREQUENCY_HZ = (50.0, 60.0)
LOW_VOLTAGE_KV = 0.6
BOLTED_KA = {"low": (0.5, 106.0), "medium": (0.2, 65.0)}
GAP_MM = {"low": (6.35, 76.2), "medium": (19.05, 254.0)}
WORKING_DISTANCE_MM = 304.8
"""12 in; the standard writes it as 305 mm."""
OPENING_M2 = 1.549
GAPS_IN_WIDTH = 4


def check_range(
    *,
    voltage_v: float,
    bolted_ka: float,
    gap_mm: float,
    working_distance_mm: float,
    electrodes: Electrodes,
    enclosure: Enclosure | None,
    frequency_hz: float = 60,
) -> None:
    """Refuse what lies outside the range of the model.

    Raises:
        InvalidArgument: One is outside; the message has the range, and `field` the name.
    """
    _within("voltage", voltage_v, VOLTAGE_V, "V between lines, three-phase")
    band = "low" if voltage_v / 1000 <= LOW_VOLTAGE_KV else "medium"
    where = "up to 600 V" if band == "low" else "above 600 V"
    _within("boltedFaultKa", bolted_ka, BOLTED_KA[band], f"kA {where}")
    _within("gapMm", gap_mm, GAP_MM[band], f"mm {where}")
    _within("frequencyHz", frequency_hz, FREQUENCY_HZ, "Hz")
    if not round(working_distance_mm, 6) >= WORKING_DISTANCE_MM:  # NaN too
        raise InvalidArgument(
            f"the working distance is {working_distance_mm:g} mm; the model of IEEE 1584-2018 "
            "holds from 305 mm (12 in)",
            field="workingDistanceMm",
        )
    if electrodes not in OPEN_AIR:
        _check_enclosure(enclosure, electrodes, gap_mm)


def _check_enclosure(enclosure: Enclosure | None, electrodes: Electrodes, gap_mm: float) -> None:
    if enclosure is None:
        raise InvalidArgument(
            f"{electrodes} is a configuration in an enclosure: give its height, width and depth",
            field="enclosure",
        )
    for name, size in (("Height", enclosure.height_mm), ("Width", enclosure.width_mm)):
        if not 0 < size <= LARGEST_MM:
            raise InvalidArgument(
                f"the enclosure's {name.lower()} is {size:g} mm; the model of IEEE 1584-2018 holds "
                f"up to {LARGEST_MM} mm (49 in)",
                field=f"enclosure{name}Mm",
            )
    if not enclosure.depth_mm > 0:
        raise InvalidArgument(
            f"the enclosure's depth is {enclosure.depth_mm:g} mm; it must be above 0",
            field="enclosureDepthMm",
        )
    area_m2 = enclosure.height_mm * enclosure.width_mm / 1e6
    if area_m2 > OPENING_M2 + 1e-3:  # 1.549 m2 is 49 in by 49 in, rounded down
        raise InvalidArgument(
            f"the enclosure's opening is {area_m2:.3f} m2; the model of IEEE 1584-2018 holds up to "
            f"{OPENING_M2} m2",
            field="enclosureHeightMm",
        )
    if enclosure.width_mm < GAPS_IN_WIDTH * gap_mm:
        raise InvalidArgument(
            f"the enclosure is {enclosure.width_mm:g} mm wide; with a gap of {gap_mm:g} mm the "
            f"model of IEEE 1584-2018 holds from {GAPS_IN_WIDTH * gap_mm:g} mm (4 gaps)",
            field="enclosureWidthMm",
        )


def _within(field: str, value: float, bounds: tuple[float, float], unit: str) -> None:
    least, most = bounds
    if not least <= value <= most:
        raise InvalidArgument(
            f"{field} is {value:g}; the model of IEEE 1584-2018 holds from {least:g} to {most:g} "
            f"{unit}",
            field=field,
        )
