"""Calculations on stated figures, against published examples."""

from __future__ import annotations

from typing import Any

import pytest

from packs.electrical import hand_calculations
from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import InvalidArgument

AMPACITY = [
    # Table 310.16, 310.15(B)(1)(1), 310.15(C)(1): 30 A x 0.82 x 0.8
    ({"conductorSize": "12", "insulation": "THHN", "ambientC": 49, "currentCarryingConductors": 4},
     {"value": 19.68}),
    # the same tables: 55 A x 0.91 x 0.8
    ({"conductorSize": "8", "insulation": "THHN", "ambientF": 100, "currentCarryingConductors": 4},
     {"value": 40.04}),
    # 110.14(C): 4/0 aluminum XHHW-2 has 205 A at 90 °C, and 180 A at terminals of 75 °C
    ({"conductorSize": "4/0", "conductorMaterial": "aluminum", "insulation": "XHHW-2",
      "terminalRatingC": 75}, {"value": 180}),
    # 334.80: NM-B is corrected from 90 °C: 30 A x 0.82 x 0.7, and has 20 A at most
    ({"conductorSize": "12", "insulation": "NM-B", "ambientF": 120,
      "currentCarryingConductors": 9}, {"value": 17.22}),
    ({"conductorSize": "12", "insulation": "NM-B", "terminalRatingC": 75}, {"value": 20}),
]  # fmt: skip
MOTORS = [
    # NEC Annex D, Example D8: 25 hp, 460 V, squirrel cage, 32 A nameplate, service factor 1.15
    ({"hp": "25", "voltage": 460, "nameplateAmps": 32, "serviceFactor": 1.15,
      "device": "nontime_delay_fuse"},
     {"full-load": 34, "required": 42.5, "overload": 40, "short-circuit": 110}),
    # NEC Annex D, Example D8: 30 hp, 460 V, wound rotor, 38 A nameplate, 40 °C rise
    ({"hp": "30", "voltage": 460, "motorKind": "wound_rotor", "nameplateAmps": 38,
      "temperatureRiseC": 40, "device": "nontime_delay_fuse"},
     {"full-load": 40, "required": 50, "overload": 47.5, "short-circuit": 60}),
    # Tables 430.248 and 430.52: 5 hp, 230 V, one phase: 28 A, 250 % is 70 A
    ({"hp": "5", "voltage": 230, "phases": 1},
     {"full-load": 28, "required": 35, "short-circuit": 70}),
    # Table 430.248: 7-1/2 hp, 230 V, one phase, as the kind of motor says: 40 A
    ({"hp": "7-1/2", "voltage": 230, "motorKind": "single_phase"}, {"full-load": 40}),
    # 250.122(D)(2): behind an instantaneous trip by a dual-element fuse, 175 % of 34 A: 60 A
    ({"hp": "25", "voltage": 460, "device": "instantaneous_breaker"}, {"short-circuit": 272}),
]  # fmt: skip
GROUNDING = [
    # NEC Handbook, 250.122(B): 300 A, 250 kcmil enlarged to 350: 41,740 x 1.4 = 58,436 cmil
    ({"breakerAmps": 300, "installedSize": "350", "requiredSize": "250"}, "AWG 2"),
    # 250.122(F) and Table 250.122: 400 A in two raceways, 3 AWG in each
    ({"breakerAmps": 400, "raceways": 2, "installedSize": "3/0"}, "AWG 3"),
    # 250.122(F) and Table 250.122: 1200 A in four raceways, 3/0 in each
    ({"breakerAmps": 1200, "raceways": 4}, "AWG 3/0"),
]
CONDUITS = [
    # Annex C, Table C.1: eight 14 AWG and six 12 AWG THW are the most in 1/2 EMT
    ({"conductors": [{"size": "14", "count": 8, "insulation": "THW"}]}, "1/2"),
    ({"conductors": [{"size": "14", "count": 9, "insulation": "THW"}]}, "3/4"),
    ({"conductors": [{"size": "12", "count": 6, "insulation": "THW-2"}]}, "1/2"),
    # Annex C, Table C.1: nine 12 AWG THHN are the most in 1/2 EMT
    ({"conductors": [{"size": "12", "count": 9}]}, "1/2"),
    ({"conductors": [{"size": "12", "count": 10}]}, "3/4"),
    # Annex C, Table C.1: four 4/0 THHN are the most in 2 EMT
    ({"conductors": [{"size": "4/0", "count": 4}]}, "2"),
    # Annex C, Table C.1, by note 7: six 8 AWG THHN are the most in 3/4 EMT (5.83 of them)
    ({"conductors": [{"size": "8", "count": 6}]}, "3/4"),
    ({"conductors": [{"size": "8", "count": 7}]}, "1"),
    # of several sizes, none is more than Table 1 allows: 40 % of 0.533 in²
    ({"conductors": [{"size": "8", "count": 5}, {"size": "10", "count": 2}]}, "1"),
    # Annex C, Table C.11: four 500 kcmil XHHW are the most in 3 PVC, schedule 40
    (
        {"conductors": [{"size": "500", "count": 4, "insulation": "XHHW"}], "conduitType": "pvc"},
        "3",
    ),
]
NEUTRALS = [
    # NEC Annex D, Example D1(a): 5,100 + 5,600 + 3,850 = 14,550 VA
    ({"floorAreaFt2": 1500, "rangesWatts": [12000], "dryersWatts": [5500]}, 60.6),
    # NEC Annex D, Example D2(a): 5,100 + 5,600 + 3,500 + 1,200 = 15,400 VA
    ({"floorAreaFt2": 1500, "rangesWatts": [12000], "dryersWatts": [5000],
      "fastenedWatts": [1200]}, 64.2),
    # 220.53: one of 400 W does not make three of 1,000 W four; in 2017 it did
    ({"floorAreaFt2": 1500, "fastenedWatts": [1000, 1000, 1000, 400]}, 35.4),
    ({"floorAreaFt2": 1500, "fastenedWatts": [1000, 1000, 1000, 400], "edition": 2017}, 31.9),
    # 2026: 2 VA/ft² by secondary sources: 3,000 + 35 % of 4,500 = 4,575 VA
    ({"floorAreaFt2": 1500, "edition": 2026}, 19.1),
    # 220.61(B)(2): 200 A and 70 % of the other 200 A
    ({"unbalancedAmps": 400}, 340),
    # 220.61(C)(1): nothing is reduced on two lines and the neutral of a 208Y/120 V system
    ({"unbalancedAmps": 300, "voltage": 208}, 300),
    # 110/220 V is a winding with its middle as neutral: 200 A and 70 % of 100 A
    ({"unbalancedAmps": 300, "voltage": 220}, 270),
    # the same: 3,000 + 35 % of 4,500 = 4,575 VA, and 80 % of 8,000 W (Table 220.55): 10,975 VA
    ({"floorAreaFt2": 1000, "rangesWatts": [8000], "voltage": 208}, 52.8),
    # on three phases the reduction stands: 200 A and 70 % of 100 A
    ({"unbalancedAmps": 300, "voltage": 208, "phases": 3}, 270),
]  # fmt: skip
DIRECT = [
    # Chapter 9, Table 8: 10 AWG stranded, coated 1.29 ohm/kft: 2 x 20 x 0.129 = 5.16 V
    ({"loadAmps": 20, "conductorSize": "10", "coated": True, "lengthFt": 100, "sourceVoltage": 48},
     10.75),
    # 12 AWG solid, uncoated 1.93 ohm/kft: 2 x 10 x 0.193 = 3.86 V
    ({"loadAmps": 10, "conductorSize": "12", "solid": True, "lengthFt": 100, "sourceVoltage": 120},
     3.217),
    # 1/0 aluminum 0.201 ohm/kft: 2 x 100 x 0.0402 = 8.04 V
    ({"loadAmps": 100, "conductorSize": "1/0", "conductorMaterial": "aluminum", "lengthFt": 200,
      "sourceVoltage": 240}, 3.35),
]  # fmt: skip
COMPARED = [(480, 466, 2.917), (240, 232, 3.333), (120, 116.4, 3)]
"""100 (source - load) / source."""


def call(name: str, locale: str = "en", /, **arguments: Any) -> dict[str, Any]:
    ctx = ToolContext(User("u"), locale=locale)
    result = Capability.of(getattr(hand_calculations, name)).call(ctx, arguments)
    assert ctx.citations and ctx.display is not None
    return dict(result)


def step(found: dict[str, Any], words: str) -> Any:
    return next(each["value"] for each in found["steps"] if words in each["name"].lower())


@pytest.mark.parametrize(("given", "right"), AMPACITY)
def test_ampacity(given: dict[str, Any], right: dict[str, Any]) -> None:
    assert call("derate_conductors", **given)["value"] == pytest.approx(right["value"])


@pytest.mark.parametrize(("given", "right"), MOTORS)
def test_motor_circuit(given: dict[str, Any], right: dict[str, float]) -> None:
    found = call("size_motor_circuit", **given)
    for words, value in right.items():
        assert step(found, words) == pytest.approx(value), words


@pytest.mark.parametrize(("given", "right"), GROUNDING)
def test_grounding_conductor(given: dict[str, Any], right: str) -> None:
    assert call("size_grounding_conductor", **given)["value"] == right


@pytest.mark.parametrize(("given", "right"), CONDUITS)
def test_conduit_fill(given: dict[str, Any], right: str) -> None:
    assert call("calculate_conduit_fill", **given)["value"] == right


def test_the_ground_behind_an_instantaneous_trip_goes_by_the_fuse_that_is_allowed() -> None:
    found = call("size_motor_circuit", hp="25", voltage=460, device="instantaneous_breaker")
    assert step(found, "grounding") == "AWG 10"


def test_a_conduit_that_note_7_allows_says_so() -> None:
    six = {"conductors": [{"size": "8", "count": 6}], "tradeSize": "3/4"}
    found = call("calculate_conduit_fill", **six)
    assert found["compliant"]
    assert any("note 7" in each for each in found["warnings"])


def test_the_neutral_of_2026_cites_article_120_and_says_what_is_unchecked() -> None:
    given = {"floorAreaFt2": 1500, "rangesWatts": [12000], "dryersWatts": [5500]}
    found = call("calculate_neutral_load", edition=2026, **given)
    assert {each["reference"][:3] for each in found["steps"]} == {"120"}
    assert len(found["warnings"]) > len(call("calculate_neutral_load", **given)["warnings"])
    assert "220." not in found["warnings"][-1]


@pytest.mark.parametrize(
    ("name", "given", "tables"),
    [
        ("derate_conductors", {"conductorSize": "12"}, ["310.16", "240.4(D)"]),
        ("size_grounding_conductor", {"breakerAmps": 100}, ["250.122"]),
    ],
)
def test_tables_that_2026_may_have_changed_are_named(
    name: str, given: dict[str, Any], tables: list[str]
) -> None:
    (warning,) = call(name, edition=2026, **given)["warnings"]
    assert warning.startswith("Not checked against the 2026 edition")
    assert all(table in warning for table in tables)
    assert call(name, edition=2020, **given)["warnings"] == []


def test_a_direct_current_that_loses_more_than_there_is_leaves_nothing() -> None:
    given = {"loadAmps": 200, "conductorSize": "14", "sourceVoltage": 12, "lengthFt": 100}
    found = call("calculate_dc_voltage_drop", **given)
    assert step(found, "at the load") == 0
    assert "cannot carry" in found["warnings"][0]


def test_a_conduit_that_is_too_full_is_said_to_be() -> None:
    ten = {"conductors": [{"size": "12", "count": 10}], "tradeSize": "1/2"}
    found = call("calculate_conduit_fill", **ten)
    assert (found["compliant"], found["value"]) == (False, pytest.approx(43.75))
    assert step(found, "smallest") == "3/4"
    assert call("calculate_conduit_fill", **ten, nipple=True)["compliant"]


@pytest.mark.parametrize(("given", "right"), NEUTRALS)
def test_neutral_load(given: dict[str, Any], right: float) -> None:
    assert call("calculate_neutral_load", **given)["value"] == pytest.approx(right, abs=0.05)


@pytest.mark.parametrize(("given", "right"), DIRECT)
def test_direct_current(given: dict[str, Any], right: float) -> None:
    assert call("calculate_dc_voltage_drop", **given)["value"] == pytest.approx(right)


@pytest.mark.parametrize(("source", "load", "right"), COMPARED)
def test_percent_of_two_voltages(source: float, load: float, right: float) -> None:
    assert call("compare_voltages", sourceVoltage=source, loadVoltage=load)["value"] == right


@pytest.mark.parametrize(
    ("name", "given", "field"),
    [
        ("derate_conductors", {"conductorSize": "12", "insulation": "XYZ"}, "insulation"),
        ("size_motor_circuit", {"hp": "999", "voltage": 460}, "hp"),
        ("size_motor_circuit",
         {"hp": "5", "voltage": 230, "phases": 3, "motorKind": "single_phase"}, "phases"),
        ("size_motor_circuit",
         {"hp": "5", "voltage": 230, "phases": 1, "motorKind": "wound_rotor"}, "phases"),
        ("size_grounding_conductor", {"breakerAmps": 60, "requiredSize": "4"}, "installedSize"),
        ("size_grounding_conductor",
         {"breakerAmps": 100, "installedSize": "8", "requiredSize": "3"}, "installedSize"),
        ("calculate_conduit_fill", {"conductors": [{"size": "18"}]}, "conductors"),
        # Table 5 has two areas of it, with and without an outer covering
        ("calculate_conduit_fill",
         {"conductors": [{"size": "12", "insulation": "RHW-2"}]}, "conductors"),
        ("calculate_conduit_fill", {"conductors": [{"size": "12"}], "tradeSize": "9"}, "tradeSize"),
        ("derate_conductors", {"conductorSize": "1", "conductorSets": 2}, "conductorSets"),
        # Tables 430.247 and, of synchronous motors, 430.250 are not here
        ("size_motor_circuit", {"hp": "25", "voltage": 240, "motorKind": "dc"},
         "arguments.motorKind"),
        ("calculate_neutral_load", {}, "floorAreaFt2"),
        ("calculate_neutral_load", {"floorAreaFt2": 900, "unbalancedAmps": 50}, "unbalancedAmps"),
        ("calculate_neutral_load", {"floorAreaFt2": 900, "rangesWatts": [1200]}, "rangesWatts"),
        ("calculate_dc_voltage_drop",
         {"loadAmps": 1, "conductorSize": "12", "sourceVoltage": 12}, "lengthFt"),
        ("compare_voltages", {"sourceVoltage": 100, "loadVoltage": 101}, "loadVoltage"),
    ],
)  # fmt: skip
def test_what_no_table_has_is_refused_by_name(name: str, given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        call(name, **given)
    assert caught.value.field == field


def test_answers_are_in_the_users_language() -> None:
    found = call("compare_voltages", "he", sourceVoltage=240, loadVoltage=232)
    assert found["answer"].startswith("מפל המתח באחוזים")


def test_the_answer_tells_every_figure_because_each_may_be_what_is_asked_for() -> None:
    breaker = call("derate_conductors", conductorSize="14")["answer"].replace("\u2068", "")
    assert breaker.startswith("Ampacity as installed: 25 A")
    assert "Largest breaker that protects them: 15 A" in breaker.replace("\u2069", "")
    motor = call("size_motor_circuit", hp="25", voltage=460)["answer"].replace("\u2068", "")
    assert "Full-load current: 34 A" in motor
