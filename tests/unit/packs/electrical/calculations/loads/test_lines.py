"""The lines of a panel, the current in each, and their place in the panel above."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.calculations.loads.lines import (
    Currents,
    System,
    currents,
    imbalance_percent,
    line_at,
    lines_of,
    magnitudes,
    over_feeder,
    spread,
    system,
    through_transformer,
    total,
)
from packs.electrical.projects.records import Circuit, Transformer

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


HIGH = system(480, 3)


def _transformer(phases: int = 3, primary: float = 480, secondary: float = 208) -> Transformer:
    return Transformer.model_validate(
        {
            "id": "t",
            "name": "t",
            "kva": 75,
            "phases": phases,
            "primaryVoltage": primary,
            "secondaryVoltage": secondary,
        }
    )


def test_a_balanced_load_behind_a_transformer_keeps_its_power() -> None:
    transfer = through_transformer(_transformer(), None, WYE, HIGH)
    drawn = magnitudes(transfer(spread(WYE, 45_000)))
    assert drawn == pytest.approx((45_000 / (480 * math.sqrt(3)),) * 3)


def test_a_load_to_neutral_behind_a_transformer_stands_between_two_lines() -> None:
    transfer = through_transformer(_transformer(), None, WYE, HIGH)
    drawn = magnitudes(transfer(currents(WYE, (0,), 4_800)))
    assert drawn == pytest.approx((10, 10, 0))


def test_a_one_phase_transformer_loads_the_lines_of_its_breaker() -> None:
    split = system(240, 1)
    breaker = Circuit.model_validate(circuit(3, "subpanel", poles=2))
    transfer = through_transformer(_transformer(1, 480, 240), breaker, split, HIGH)
    assert magnitudes(transfer(currents(split, (0,), 4_800))) == pytest.approx((0, 10, 10))
    unknown = through_transformer(_transformer(1, 480, 240), None, split, HIGH)
    assert len({round(amps, 6) for amps in magnitudes(unknown(spread(split, 4_800)))}) == 1


def test_a_feeder_that_starts_on_line_b_turns_the_lines() -> None:
    breaker = Circuit.model_validate(circuit(3, "subpanel", poles=3))
    transfer = over_feeder(breaker, WYE, WYE)
    assert magnitudes(transfer(currents(WYE, (0,), 1_200))) == pytest.approx((0, 10, 0), abs=0.01)


def test_a_panel_of_two_lines_on_three_phases() -> None:
    two = system(208, 1)
    breaker = Circuit.model_validate(circuit(3, "subpanel", poles=2))
    transfer = over_feeder(breaker, two, WYE)
    assert magnitudes(transfer(currents(two, (0, 1), 2_080))) == pytest.approx((0, 10, 10))
    unknown = over_feeder(None, two, WYE)
    assert len({round(amps, 6) for amps in magnitudes(unknown(spread(two, 2_080)))}) == 1


def _power(drawn: Currents, of: System) -> complex:
    return sum(
        (volts * amps.conjugate() for volts, amps in zip(of.to_neutral, drawn, strict=True)), 0j
    )


@pytest.mark.parametrize(
    ("poles", "voltage", "amps"),
    [(1, 120, (0, 20, 0)), (2, 208, (0, 20, 20))],
)
def test_a_panel_of_two_wires_on_three_phases_stands_on_the_lines_of_its_breaker(
    poles: int, voltage: float, amps: tuple[float, ...]
) -> None:
    one = system(voltage, 1, wires=2)
    breaker = Circuit.model_validate(circuit(3, "subpanel", poles=poles))
    transfer = over_feeder(breaker, one, WYE)
    assert magnitudes(transfer(currents(one, (0,), 20 * voltage))) == pytest.approx(amps)


def test_a_panel_of_two_wires_between_two_lines_is_a_load_between_them() -> None:
    split, one = system(240, 1), system(240, 1, wires=2)
    breaker = Circuit.model_validate(circuit(1, "subpanel", poles=2))
    for feeder in (breaker, None):
        above = over_feeder(feeder, one, split)(currents(one, (0,), 4_800))
        assert above == pytest.approx(currents(split, (0, 1), 4_800))


ABOVE = [(240, 1, None), (208, 1, None), (230, 1, 2), (208, 3, None), (400, 3, None)]


@given(st.sampled_from(ABOVE), st.sampled_from([1, 2, None]), st.floats(1, 50_000))
def test_a_feeder_to_two_wires_keeps_the_power(
    given_above: tuple[float, int, int | None], poles: int | None, va: float
) -> None:
    volts, phases, wires = given_above
    above = system(volts, 1 if phases == 1 else 3, wires=2 if wires else None)
    between = above.lines == 1 or poles == 2
    one = system(volts if between else abs(above.to_neutral[0]), 1, wires=2)
    number = circuit(3, "subpanel", poles=poles) if poles else None
    breaker = Circuit.model_validate(number) if number else None
    drawn = over_feeder(breaker, one, above)(currents(one, (0,), va))
    assert _power(drawn, above) == pytest.approx(va)


@given(st.sampled_from([(240, 1), (208, 1), (208, 3)]), st.floats(1, 50_000))
def test_all_of_a_panel_on_two_wires_is_drawn_from_the_one_line(
    given_below: tuple[float, int], va: float
) -> None:
    volts, phases = given_below
    below, one = system(volts, 1 if phases == 1 else 3), system(230, 1, wires=2)
    for transfer in (
        over_feeder(None, below, one),
        through_transformer(_transformer(phases, 230, volts), None, below, one),
    ):
        assert magnitudes(transfer(spread(below, va))) == pytest.approx((va / 230,))
