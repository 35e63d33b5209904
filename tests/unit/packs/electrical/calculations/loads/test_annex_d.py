"""The examples of the NEC's Informative Annex D, by the figures that public copies of them print
(flylib.com, Pocket Guide to the NEC 2005, and thompsonlearningco.com for 2017; the examples are the
same in both)."""

from __future__ import annotations

import pytest

from packs.electrical.calculations.loads.calculation import Calculation, Load
from packs.electrical.calculations.loads.dwellings import standard
from packs.electrical.calculations.loads.lines import currents, spread, system
from packs.electrical.calculations.loads.optional_methods import (
    multifamily,
    optional,
    units_percent,
)
from packs.electrical.calculations.loads.other_buildings import other_building
from packs.electrical.nec.overcurrent import next_standard

from .samples import building, dwelling, load


def _demands(found: Calculation) -> list[float]:
    return [round(step.demand_va, 2) for step in found.steps if step.demand_va]


def test_d1a_a_one_family_dwelling() -> None:
    found = standard([load("range", 12_000), load("dryer", 5_500)], dwelling())
    assert _demands(found) == [5_100, 5_500, 8_000]
    assert found.demand_va == pytest.approx(18_600)
    assert found.demand_amps == pytest.approx(77.5)


def test_d1b_the_heavier_line_of_the_same_dwelling_needs_110_a() -> None:
    # Line A of the example: 78 + 6 + 12 + 3 = 99 A. Its line B counts 2 A more than 430.24 alone,
    # 25 % of the dishwasher that stands opposite the largest motor: 104 A, rounded up twice.
    more = [
        load("air_conditioning", 6 * 240, is_motor=True),
        load("air_conditioning", 12 * 120, line=0, is_motor=True),
        load("appliance", 10 * 120, line=1),
        load("appliance", 8 * 120, line=1),
    ]
    found = standard([load("range", 12_000), load("dryer", 5_500), *more], dwelling())
    assert found.line_amps == pytest.approx((77.5 + 6 + 12 + 3, 77.5 + 6 + 10 + 8))
    assert next_standard(max(found.line_amps)) == 110


def test_d2a_heating_larger_than_cooling() -> None:
    heaters = [load("space_heating", 1_800) for _ in range(5)]
    appliances = [
        load("range", 12_000),
        load("water_heater", 2_500),
        load("appliance", 1_200),
        load("dryer", 5_000),
        load("air_conditioning", 6 * 230, is_motor=True),
    ]
    found = optional([*appliances, *heaters], dwelling())
    assert _demands(found) == [17_880, 3_600]
    assert found.demand_va == pytest.approx(21_480)
    assert found.demand_amps == pytest.approx(89.5)


def test_d2b_cooling_larger_than_heating() -> None:
    coolers = [load("air_conditioning", 7 * 240, is_motor=True) for _ in range(6)]
    appliances = [
        load("oven", 4_000),
        load("oven", 4_000),
        load("cooktop", 5_100),
        load("water_heater", 4_500),
        load("appliance", 1_200),
        load("dryer", 5_000),
        load("space_heating", 1_500),
    ]
    found = optional([*appliances, *coolers], dwelling())
    assert _demands(found) == [19_120, 10_080]
    assert found.demand_va == pytest.approx(29_200)
    assert round(found.demand_amps) == 122


def test_d2c_a_heat_pump_with_supplementary_heat() -> None:
    appliances = [
        load("range", 12_000),
        load("water_heater", 4_500),
        load("appliance", 1_200),
        load("dryer", 5_000),
        load("heat_pump", 24 * 240, is_motor=True),
        load("space_heating", 15_000),
    ]
    found = optional(appliances, dwelling(2_000))
    assert _demands(found) == [19_280, 5_760, 9_750]
    assert found.demand_va == pytest.approx(34_790)  # 145 A: a service of 150 A


def test_d3_a_store() -> None:
    # Show window 6000 VA and sign 1200 VA are continuous, as the lighting of 9000 VA by area.
    loads = [
        load("lighting", 8_500),
        load("receptacle", 80 * 180),
        load("equipment", 6_000, continuous=True),
        load("equipment", 1_200, continuous=True),
    ]
    found = other_building(loads, building("store", floor_area_ft2=3_000))
    assert _demands(found) == [11_250, 12_200, 7_200, 1_800]
    assert found.demand_va == pytest.approx(12_200 + 1.25 * 16_200)


def test_d4a_one_of_forty_dwelling_units() -> None:
    unit = dwelling(840, laundry_circuits=0)
    assert standard([], unit).demand_va == pytest.approx(3_882)
    with_range = standard([load("range", 12_000)], unit)
    assert with_range.demand_va == pytest.approx(11_882)
    assert with_range.demand_amps == pytest.approx(49.5, abs=0.01)


@pytest.mark.parametrize(
    ("units", "general", "ranges"), [(20, 40_590, 25_000), (40, 69_150, 35_000)]
)
def test_d4a_the_feeders_of_many_units(units: int, general: float, ranges: float) -> None:
    # Half of them have ranges. The general loads are those that example D5(a) prints as well; the
    # ranges are those of column C for 10 and 20.
    premises = dwelling(
        840 * units, dwelling_units=units, small_appliance_circuits=2 * units, laundry_circuits=0
    )
    found = standard([load("range", 12_000) for _ in range(units // 2)], premises)
    assert _demands(found) == [general, ranges]


@pytest.mark.parametrize(("units", "percent", "demand"), [(20, 38, 167_352), (40, 28, 246_624)])
def test_d4b_the_optional_method_for_many_units(units: int, percent: int, demand: float) -> None:
    unit = [load("range", 8_000), load("water_heater", 2_500)]
    unit += [load("space_heating", 1_500) for _ in range(4)]
    premises = dwelling(840 * units, dwelling_units=units, laundry_circuits=0)
    assert units_percent(units) == percent
    assert multifamily(unit * units, premises).demand_va == pytest.approx(demand)


@pytest.mark.parametrize(
    ("pairs", "demand"),
    [([4, 3, 3], 34_500), ([7, 7, 6], 43_500)],
    ids=["10 ranges", "20 ranges"],
)
def test_d5a_ranges_on_three_phases(pairs: list[int], demand: float) -> None:
    wye = system(208, 3)
    lines = [(0, 1), (1, 2), (2, 0)]
    ranges = [
        Load(f"{pair}-{each}", "range", "range", 12_000, currents(wye, pair, 12_000))
        for pair, count in zip(lines, pairs, strict=True)
        for each in range(count)
    ]
    units = 2 * len(ranges)
    premises = dwelling(840 * units, dwelling_units=units, laundry_circuits=0, system=wye)
    found = standard(ranges, premises)
    assert _demands(found)[-1] == demand
    general = {20: 40_590, 40: 69_150}[units]
    assert found.demand_va == pytest.approx(general + demand)


def test_d5a_the_feeder_of_one_unit_on_two_lines_of_a_wye() -> None:
    two = system(208, 1)
    lighting = spread(two, 3_882)
    cooking = currents(two, (0, 1), 8_000)
    assert [abs(amps) for amps in lighting] == pytest.approx([16.2, 16.2], abs=0.05)
    assert [abs(amps) for amps in cooking] == pytest.approx([38.5, 38.5], abs=0.05)
