"""Typical equipment (IEEE Std 1584-2018, Tables 8 to 10)."""

import pytest

from packs.electrical.calculations.arc_flash.equipment import TYPICAL, class_of
from packs.electrical.calculations.arc_flash.study import Given, study
from tests.support.rules import for_every

VOLTS = {"lv": 480.0, "ca": 480.0, "5k": 4_160.0, "15": 13_800.0}


@for_every("name", TYPICAL)
def test_every_class_lies_inside_the_range_of_the_model(name: str) -> None:
    typical = TYPICAL[name]  # type: ignore[index]
    arc = Given(
        voltage_v=VOLTS[name[:2]],
        bolted_ka=20,
        electrodes="VCB",
        gap_mm=typical.gap_mm,
        working_distance_mm=typical.working_distance_mm,
        enclosure=typical.enclosure,
        clearing_time_s=0.1,
    )
    assert study(arc).correction.kind == ("shallow" if "shallow" in name else "typical")


@pytest.mark.parametrize(
    ("kind", "volts", "expected"),
    [
        ("panelboard", 208, "lv_panelboard"),
        ("panelboard", 600, "lv_panelboard"),
        ("mcc", 480, "lv_mcc"),
        ("switchboard", 480, "lv_switchgear"),
        ("switchgear", 480, "lv_switchgear"),
        ("switchgear", 4_160, "5kv_switchgear"),
        ("mcc", 2_300, "5kv_mcc"),
        ("switchgear", 13_800, "15kv_switchgear"),
        ("mcc", 13_800, "15kv_mcc"),
    ],
)
def test_a_panels_kind_and_voltage_tell_its_class(kind: str, volts: float, expected: str) -> None:
    assert class_of(kind, volts) == expected  # type: ignore[arg-type]


def test_gaps_and_distances_are_those_of_the_tables() -> None:
    # Tables 8 and 10: 25 mm and 18 in, 32 mm and 24 in, 104 mm and 36 in, 152 mm and 36 in.
    found = [
        (TYPICAL[name].gap_mm, round(TYPICAL[name].working_distance_mm / 25.4, 9))
        for name in ("lv_panelboard", "lv_switchgear", "5kv_switchgear", "15kv_switchgear")
    ]
    assert found == [(25, 18), (32, 24), (104, 36), (152, 36)]
