"""Buildings other than dwellings, rule by rule."""

from __future__ import annotations

import pytest

from packs.electrical.calculations.loads.other_buildings import other_building

from .samples import building, load


def test_lighting_counts_125_percent_of_what_is_connected() -> None:
    found = other_building([load("lighting", 8_000)], building("office"))
    assert found.demand_va == pytest.approx(10_000)
    assert [each.name for each in found.basis.assumptions] == ["lighting"]


def test_the_area_s_lighting_counts_where_it_is_more() -> None:
    # 2017: 3.5 VA/ft2, and 125 % for its hours; from 2020 on the table has the 125 % in it.
    found = other_building([load("lighting", 5_000)], building("office", floor_area_ft2=2_000))
    assert found.steps[0].demand_va == pytest.approx(1.25 * 7_000)
    later = building("office", floor_area_ft2=10_000, edition=2023)
    found = other_building([load("lighting", 5_000)], later)
    assert found.steps[0].demand_va == pytest.approx(13_000)
    assert "125 % included" in found.steps[0].what.say("en")


def test_receptacles_above_10_kva_count_half() -> None:
    found = other_building([load("receptacle", 16_000)], building("store"))
    assert found.demand_va == pytest.approx(13_000)
    assert found.steps[0].table == "220.44"


def test_an_office_counts_one_va_per_square_foot_of_receptacles_at_least() -> None:
    office = building("office", floor_area_ft2=9_000, edition=2020)
    found = other_building([load("receptacle", 4_000)], office)
    row = next(step for step in found.steps if step.article == "220.14(K)")
    assert row.demand_va == 9_000


@pytest.mark.parametrize(
    ("units", "demand"), [(2, 20_000), (3, 27_000), (4, 32_000), (5, 35_000), (6, 39_000)]
)
def test_kitchen_equipment_counts_by_its_number(units: int, demand: float) -> None:
    kitchen = [load("range", 10_000) for _ in range(units)]
    assert other_building(kitchen, building("restaurant")).demand_va == pytest.approx(demand)


def test_kitchen_equipment_is_never_below_its_two_largest() -> None:
    kitchen = [load("range", va) for va in (40_000, 30_000, 1_000, 1_000, 1_000, 1_000)]
    assert other_building(kitchen, building("restaurant")).demand_va == pytest.approx(70_000)


def test_what_is_continuous_counts_a_quarter_more_and_the_rest_once() -> None:
    loads = [load("equipment", 4_000, continuous=True), load("water_heater", 3_000)]
    assert other_building(loads, building("office")).demand_va == pytest.approx(8_000)


def test_several_motors_count_125_percent_of_the_largest() -> None:
    motors = [load("motor", va, is_motor=True) for va in (5_000, 8_000)]
    assert other_building(motors, building("industrial")).demand_va == pytest.approx(15_000)


def test_heating_beside_cooling_is_assumed_not_to_run_with_it() -> None:
    loads = [load("space_heating", 9_000), load("air_conditioning", 8_000, is_motor=True)]
    found = other_building(loads, building("office", edition=2023))
    assert found.demand_va == pytest.approx(10_000)  # cooling with the quarter of its motor
    assert "noncoincident" in {each.name for each in found.basis.assumptions}


def test_an_unverified_figure_of_the_table_is_a_warning() -> None:
    hotel = building("hotel", floor_area_ft2=20_000, edition=2026)
    assert other_building([], hotel).basis.warnings
    assert not other_building([], building("hotel", floor_area_ft2=20_000)).basis.warnings


def test_receptacles_by_a_table_that_the_edition_was_not_checked_against_are_a_warning() -> None:
    outlets = [load("receptacle", 20_000)]
    warned = other_building(outlets, building("store", edition=2026)).basis.warnings
    assert any("120.47" in text.say("en") for text in warned)
    assert not other_building(outlets, building("store", edition=2023)).basis.warnings
