"""Lines of a panel and the current in each."""

from __future__ import annotations

import math

import pytest

from packs.electrical.calculations.loads.phases import (
    currents,
    imbalance_percent,
    line_at,
    lines_of,
    magnitudes,
    spread,
    system,
    total,
)
from packs.electrical.projects.records import Circuit

from .samples import circuit

WYE = system(208, 3)
SPLIT = system(240, 1)


def test_rows_go_a_b_c_on_both_sides_alike() -> None:
    assert [WYE.names[line_at(position, WYE)] for position in range(1, 9)] == list("AABBCCAA")
    assert [SPLIT.names[line_at(position, SPLIT)] for position in (1, 2, 3, 4, 5)] == [
        *("L1", "L1", "L2", "L2", "L1"),
    ]


@pytest.mark.parametrize(
    ("number", "poles", "lines"), [(4, 1, (1,)), (5, 2, (2, 0)), (2, 3, (0, 1, 2))]
)
def test_a_circuit_stands_on_the_lines_of_its_positions(
    number: int, poles: int, lines: tuple[int, ...]
) -> None:
    found = Circuit.model_validate(circuit(number, poles=poles))
    assert lines_of(found, WYE) == lines


def test_a_lone_load_between_two_lines_draws_its_own_current() -> None:
    drawn = magnitudes(currents(WYE, (0, 1), 2080))
    assert drawn == pytest.approx((10, 10, 0))


def test_three_loads_between_lines_are_a_balanced_load() -> None:
    # Not 20 A in each line, as adding amperes would have it.
    pairs = [(0, 1), (1, 2), (2, 0)]
    drawn = magnitudes(total(WYE, (currents(WYE, pair, 2080) for pair in pairs)))
    assert drawn == pytest.approx((10 * math.sqrt(3),) * 3)
    assert drawn == pytest.approx(magnitudes(currents(WYE, (0, 1, 2), 3 * 2080)))


def test_loads_to_neutral_and_between_lines_add_in_a_house() -> None:
    drawn = [currents(SPLIT, (0,), 1200), currents(SPLIT, (0, 1), 2400)]
    assert magnitudes(total(SPLIT, drawn)) == pytest.approx((20, 10))


@pytest.mark.parametrize(
    ("voltage", "phases", "amps"), [(240, 1, 100), (208, 3, 24_000 / (math.sqrt(3) * 208))]
)
def test_a_spread_load_is_balanced(voltage: float, phases: int, amps: float) -> None:
    of = system(voltage, 1 if phases == 1 else 3)
    assert magnitudes(spread(of, 24_000)) == pytest.approx((amps,) * of.lines)
    assert of.va(of.amps(24_000)) == pytest.approx(24_000)


def test_the_high_leg_has_208_v_to_neutral() -> None:
    delta = system(240, 3, high_leg=True)
    assert [round(abs(volts)) for volts in delta.to_neutral] == [120, 208, 120]
    pairs = [(0, 1), (1, 2), (2, 0)]
    assert [
        round(abs(delta.to_neutral[first] - delta.to_neutral[second])) for first, second in pairs
    ] == [240, 240, 240]
    assert magnitudes(currents(delta, (0, 1, 2), 24_000)) == pytest.approx((57.74,) * 3, abs=0.01)


@pytest.mark.parametrize("lines", [(0,), (0, 0)])
def test_a_panel_of_two_wires_has_one_line_with_all_of_its_voltage(lines: tuple[int, ...]) -> None:
    of = system(230, 1, wires=2)
    assert of.names == ("L1",)
    assert magnitudes(currents(of, lines, 9_200)) == pytest.approx((40,))
    assert magnitudes(spread(of, 9_200)) == pytest.approx((40,))
    assert imbalance_percent((40,)) == 0


def test_imbalance_is_the_largest_departure_from_the_mean() -> None:
    assert imbalance_percent((50, 50, 50)) == 0
    assert imbalance_percent((60, 50, 40)) == pytest.approx(20)
    assert imbalance_percent((0, 0)) == 0
