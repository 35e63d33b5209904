"""The standard method for dwellings, rule by rule."""

from __future__ import annotations

import pytest

from packs.electrical.calculations.loads.calculation import Calculation
from packs.electrical.calculations.loads.dwellings import standard

from .samples import dwelling, load

GENERAL = 5_100.0
"""Of 1500 ft2 with the least circuits: the first 3000 VA, and 35 % of 6000 VA (220.42)."""


def _row(found: Calculation, words: str) -> float:
    (step,) = (step for step in found.steps if words in step.what.say("en"))
    assert step.demand_va is not None
    return step.demand_va


def test_four_fastened_appliances_count_75_percent_and_three_count_all() -> None:
    three = [load("water_heater", 4_500), load("appliance", 1_200), load("appliance", 900)]
    assert standard(three, dwelling()).demand_va == pytest.approx(GENERAL + 6_600)
    four = [*three, load("appliance", 1_200)]
    assert standard(four, dwelling()).demand_va == pytest.approx(GENERAL + 0.75 * 7_800)


@pytest.mark.parametrize(("edition", "demand"), [(2017, 0.75 * 7_000), (2020, 7_000)])
def test_appliances_below_500_va_are_not_among_them_from_2020_on(
    edition: int, demand: float
) -> None:
    loads = [load("appliance", 2_200, line=line) for line in (0, 1)]
    loads += [load("water_heater", 2_200), load("appliance", 400)]
    assert standard(loads, dwelling(edition=edition)).demand_va == pytest.approx(GENERAL + demand)


@pytest.mark.parametrize(("edition", "counted"), [(2020, 5_000), (2023, 7_200)])
def test_a_small_charger_counts_7200_va_from_2023_on_and_a_quarter_more(
    edition: int, counted: float
) -> None:
    found = standard([load("ev_charger", 5_000)], dwelling(edition=edition))
    assert found.demand_va == pytest.approx(GENERAL + 1.25 * counted)


def test_heating_and_cooling_do_not_count_together() -> None:
    heat, cool = load("space_heating", 10_000), load("air_conditioning", 6_000, is_motor=True)
    found = standard([heat, cool], dwelling())
    assert found.demand_va == pytest.approx(GENERAL + 10_000)
    assert _row(found, "other season") == 0


def test_a_heat_pump_runs_with_its_supplementary_heat() -> None:
    pump, heat = load("heat_pump", 5_000, is_motor=True), load("space_heating", 10_000)
    found = standard([pump, heat], dwelling())
    assert found.demand_va == pytest.approx(GENERAL + 15_000 + 0.25 * 5_000)


@pytest.mark.parametrize(("edition", "counted"), [(2017, 7_000), (2020, 7_500), (2023, 7_500)])
def test_the_season_is_chosen_with_the_quarter_of_its_largest_motor_from_2020_on(
    edition: int, counted: float
) -> None:
    heat, cool = load("space_heating", 7_000), load("air_conditioning", 6_000, is_motor=True)
    found = standard([heat, cool], dwelling(edition=edition))
    assert found.demand_va == pytest.approx(GENERAL + counted)


def test_cooling_that_is_the_larger_load_has_its_quarter_in_2017_too() -> None:
    heat, cool = load("space_heating", 5_000), load("air_conditioning", 6_000, is_motor=True)
    assert standard([heat, cool], dwelling()).demand_va == pytest.approx(GENERAL + 7_500)


def test_the_largest_motor_alone_counts_125_percent() -> None:
    pumps = [load("motor", va, is_motor=True) for va in (1_000, 3_000, 2_000)]
    assert standard(pumps, dwelling()).demand_va == pytest.approx(GENERAL + 6_000 + 750)


def test_the_code_s_least_circuits_count_where_fewer_are_drawn() -> None:
    assert standard([], dwelling(small_appliance_circuits=None)).demand_va == GENERAL
    more = standard([], dwelling(small_appliance_circuits=4))
    assert more.demand_va == pytest.approx(GENERAL + 0.35 * 3_000)


def test_a_part_of_a_dwelling_counts_its_own_circuits() -> None:
    loads = [load("receptacle", 1_500), load("small_appliance", 0), load("laundry", 0)]
    found = standard(loads, dwelling(floor_area_ft2=None, is_whole=False))
    assert found.demand_va == pytest.approx(3_000 + 0.35 * 1_500)
    assert [(each.name, each.is_default) for each in found.basis.assumptions] == [
        ("general_lighting", False)
    ]


def test_a_whole_dwelling_of_unknown_area_counts_its_circuits_and_says_so() -> None:
    found = standard([load("lighting", 2_000)], dwelling(floor_area_ft2=None))
    assert found.demand_va == pytest.approx(3_000 + 0.35 * (2_000 + 4_500 - 3_000))
    (assumed,) = found.basis.assumptions
    assert assumed.is_default and "minimum" in assumed.reason.say("en")


def test_2026_counts_two_va_per_square_foot_and_warns() -> None:
    found = standard([], dwelling(edition=2026))
    assert found.demand_va == pytest.approx(3_000 + 0.35 * (3_000 + 4_500 - 3_000))
    assert found.basis.warnings
    assert {step.article for step in found.steps if step.demand_va} == {"120.45"}


def test_cooking_below_the_table_is_an_appliance_and_above_it_counts_its_rating() -> None:
    small = standard([load("cooktop", 1_700)], dwelling())
    assert _row(small, "fastened") == 1_700
    large = standard([load("range", 30_000)], dwelling())
    assert _row(large, "27 kW") == 30_000


def test_rows_say_what_they_look_at_and_what_counts() -> None:
    found = standard([load("dryer", 4_000), load("range", 14_000)], dwelling())
    dryer, cooker = (step for step in found.steps if step.article in ("220.54", "220.55"))
    assert (dryer.connected_va, dryer.demand_va) == (4_000, 5_000)  # 220.54: 5 kVA at least
    assert (cooker.connected_va, cooker.demand_va) == (14_000, 8_800)  # note 1: 5 % for each kW
    assert cooker.table == "220.55"
    assert found.connected_va == 1_500 * 3 + 4_500 + 18_000


def test_tables_of_cooking_and_drying_that_an_edition_was_not_checked_against_are_said() -> None:
    loads = [load("dryer", 5_000), load("range", 12_000)]
    warned = " ".join(
        text.say("en") for text in standard(loads, dwelling(edition=2026)).basis.warnings
    )
    assert "120.54" in warned
    assert "120.55 was not checked against the 2026 edition" in warned
    assert standard(loads, dwelling(edition=2023)).basis.warnings == []
