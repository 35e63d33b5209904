"""The optional methods for dwellings: 220.82, 220.83, 220.84, and 220.87."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from packs.electrical.calculations.loads.calculation import Calculation, Load, Premises
from packs.electrical.calculations.loads.methods import measured
from packs.electrical.calculations.loads.optional_methods import existing, optional, units_percent

from .samples import dwelling, load

GENERAL = 9_000.0
"""Connected, of 1500 ft2 with the least circuits."""


def test_a_published_house_of_2800_ft2() -> None:
    # jadelearning.com, "Single Family Dwelling Calculation, Optional Method" (2014): 30,310 VA.
    loads = [
        load("range", 14_000),
        load("water_heater", 3_000),
        load("dryer", 5_000),
        load("appliance", 1_500),
        load("space_heating", 15_000),
        load("air_conditioning", 29 * 240, is_motor=True),
    ]
    found = optional(loads, dwelling(2_800))
    assert found.demand_va == pytest.approx(30_310)
    assert round(found.demand_amps) == 126


@pytest.mark.parametrize(("heaters", "factor"), [(3, 0.65), (4, 0.40)])
def test_four_separate_heaters_count_less_than_three(heaters: int, factor: float) -> None:
    found = optional([load("space_heating", 2_000)] * heaters, dwelling())
    assert found.demand_va == pytest.approx(GENERAL + factor * 2_000 * heaters)


@pytest.mark.parametrize("method", [optional, existing])
def test_each_heating_circuit_is_said_to_count_as_one_separate_unit(
    method: Callable[[Sequence[Load], Premises], Calculation],
) -> None:
    heaters = [load("space_heating", 2_000, is_new=True)] * 4
    said = {each.name: each for each in method(heaters, dwelling()).basis.assumptions}
    assert said["separately_controlled_heaters"].value == 4
    without = method([load("air_conditioning", 2_000, is_new=True)], dwelling())
    assert "separately_controlled_heaters" not in {each.name for each in without.basis.assumptions}


def test_a_charger_of_2026_stands_beside_the_general_loads() -> None:
    charger = [load("ev_charger", 9_600), load("range", 12_000)]
    before, after = (
        optional(charger, dwelling(3_000, edition=edition)) for edition in (2023, 2026)
    )
    assert before.demand_va == pytest.approx(10_000 + 0.4 * (9_000 + 4_500 + 21_600 - 10_000))
    assert after.demand_va == pytest.approx(8_000 + 0.4 * (6_000 + 16_500 - 8_000) + 9_600)
    assert after.basis.warnings and not before.basis.warnings


def test_an_existing_dwelling_with_a_new_appliance_counts_8_kva_and_40_percent() -> None:
    loads = [load("range", 12_000), load("ev_charger", 9_600, is_new=True)]
    found = existing(loads, dwelling())
    assert found.demand_va == pytest.approx(8_000 + 0.4 * (GENERAL + 21_600 - 8_000))
    assert found.basis.citations[0].article == "220.83(A)"


def test_existing_heating_counts_with_the_others_and_says_so() -> None:
    found = existing([load("space_heating", 10_000)], dwelling())
    assert found.demand_va == pytest.approx(8_000 + 0.4 * (GENERAL + 10_000 - 8_000))
    assert "existing_heating_and_cooling" in {each.name for each in found.basis.assumptions}


def test_new_cooling_counts_in_full() -> None:
    new = load("air_conditioning", 5_000, is_motor=True, is_new=True)
    found = existing([load("range", 12_000), load("space_heating", 3_000), new], dwelling())
    assert found.demand_va == pytest.approx(8_000 + 0.4 * (GENERAL + 12_000 - 8_000) + 5_000)
    assert found.basis.citations[0].article == "220.83(B)"


def test_four_new_separate_heaters_count_with_the_others() -> None:
    heaters = [load("space_heating", 2_000, is_new=True)] * 4
    found = existing(heaters, dwelling())
    assert found.demand_va == pytest.approx(8_000 + 0.4 * (GENERAL + 8_000 - 8_000))


def test_a_measured_peak_counts_125_percent_and_what_is_new_in_full() -> None:
    loads = [load("range", 12_000), load("equipment", 6_000, is_new=True)]
    found = measured(loads, dwelling(measured_peak_va=20_000))
    assert found.demand_va == pytest.approx(31_000)
    charger = [load("ev_charger", 9_600, is_new=True)]
    assert measured(charger, dwelling(measured_peak_va=20_000)).demand_va == pytest.approx(37_000)


@pytest.mark.parametrize(
    ("units", "percent"), [(3, 45), (6, 44), (11, 42), (31, 32), (61, 24), (62, 23)]
)
def test_more_dwelling_units_count_a_smaller_share(units: int, percent: int) -> None:
    assert units_percent(units) == percent
    assert all(units_percent(each) >= units_percent(each + 1) for each in range(3, 80))
