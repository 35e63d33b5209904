"""Outside the range of the model nothing is calculated (IEEE Std 1584-2018, 4.2)."""

from dataclasses import replace
from typing import Any

import pytest

from packs.electrical.calculations.arc_flash.enclosure import Enclosure
from packs.electrical.calculations.arc_flash.study import Given, study
from rollcall.core.errors import InvalidArgument
from tests.support.rules import for_every

LOW = Given(
    voltage_v=480,
    bolted_ka=22,
    electrodes="VCB",
    gap_mm=25,
    working_distance_mm=457.2,
    enclosure=Enclosure(355.6, 304.8, 204),
    clearing_time_s=0.1,
)
MEDIUM = replace(LOW, voltage_v=4_160, gap_mm=104, enclosure=Enclosure(914.4, 914.4, 914.4))

OUTSIDE: list[tuple[Given, dict[str, Any], str, str]] = [
    (LOW, {"voltage_v": 207.9}, "voltage", "208 to 15000"),
    (LOW, {"voltage_v": 120}, "voltage", "208 to 15000"),
    (MEDIUM, {"voltage_v": 15_001}, "voltage", "208 to 15000"),
    (LOW, {"bolted_ka": 0.49}, "boltedFaultKa", "0.5 to 106"),
    (LOW, {"bolted_ka": 106.1}, "boltedFaultKa", "0.5 to 106"),
    (MEDIUM, {"bolted_ka": 0.19}, "boltedFaultKa", "0.2 to 65"),
    (MEDIUM, {"bolted_ka": 65.1}, "boltedFaultKa", "0.2 to 65"),
    (LOW, {"gap_mm": 6.3}, "gapMm", "6.35 to 76.2"),
    (LOW, {"gap_mm": 76.3}, "gapMm", "6.35 to 76.2"),
    (MEDIUM, {"gap_mm": 19}, "gapMm", "19.05 to 254"),
    (MEDIUM, {"gap_mm": 255}, "gapMm", "19.05 to 254"),
    (LOW, {"working_distance_mm": 304.7}, "workingDistanceMm", "305 mm"),
    (LOW, {"frequency_hz": 400}, "frequencyHz", "50 to 60 Hz"),
    (LOW, {"enclosure": Enclosure(1244.7, 600, 300)}, "enclosureHeightMm", "1244.6 mm"),
    (LOW, {"enclosure": Enclosure(600, 1245, 300)}, "enclosureWidthMm", "1244.6 mm"),
    (LOW, {"enclosure": Enclosure(600, 99.9, 300)}, "enclosureWidthMm", "100 mm"),
    (LOW, {"enclosure": Enclosure(0, 600, 300)}, "enclosureHeightMm", "1244.6 mm"),
    (LOW, {"enclosure": Enclosure(600, 600, 0)}, "enclosureDepthMm", "above 0"),
    (LOW, {"enclosure": None}, "enclosure", "height, width and depth"),
    (LOW, {"clearing_time_s": 0}, "clearingTimeS", "above 0"),
    (LOW, {"reduced_clearing_time_s": 0}, "reducedClearingTimeS", "above 0"),
    (LOW, {"bolted_ka": float("nan")}, "boltedFaultKa", "0.5 to 106"),
    (LOW, {"working_distance_mm": float("nan")}, "workingDistanceMm", "305 mm"),
]


@for_every(("base", "change", "field", "accepted"), OUTSIDE)
def test_outside_is_refused_with_the_range(
    base: Given, change: dict[str, Any], field: str, accepted: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        study(replace(base, **change))
    assert refused.value.field == field
    assert accepted in refused.value.message


@for_every(
    ("base", "change"),
    [
        (LOW, {"voltage_v": 208}),
        (LOW, {"bolted_ka": 0.5}),
        (LOW, {"bolted_ka": 106}),
        (LOW, {"gap_mm": 6.35}),
        (LOW, {"gap_mm": 76.2}),
        (LOW, {"working_distance_mm": 12 * 25.4}),
        (LOW, {"frequency_hz": 50}),
        (LOW, {"enclosure": Enclosure(1244.6, 1244.6, 300)}),
        (LOW, {"enclosure": Enclosure(355.6, 100, 204)}),
        (MEDIUM, {"voltage_v": 15_000}),
        (MEDIUM, {"bolted_ka": 0.2}),
        (MEDIUM, {"bolted_ka": 65}),
        (MEDIUM, {"gap_mm": 19.05}),
        (MEDIUM, {"gap_mm": 228.6}),
    ],
)
def test_the_limits_themselves_are_inside(base: Given, change: dict[str, Any]) -> None:
    assert study(replace(base, **change)).energy_cal_cm2 > 0


def test_open_air_needs_no_enclosure() -> None:
    assert study(replace(LOW, electrodes="VOA", enclosure=None)).energy_cal_cm2 > 0
