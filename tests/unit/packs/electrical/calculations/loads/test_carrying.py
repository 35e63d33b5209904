"""What a panel's current is in the panel above it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.calculations.loads.carrying import (
    over_feeder,
    through_transformer,
)
from packs.electrical.calculations.loads.phases import (
    Currents,
    System,
    currents,
    magnitudes,
    spread,
    system,
)
from packs.electrical.projects.records import Circuit, Transformer

from .samples import circuit

WYE = system(208, 3)
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
    carry = through_transformer(_transformer(), None, WYE, HIGH)
    drawn = magnitudes(carry(spread(WYE, 45_000)))
    assert drawn == pytest.approx((45_000 / (480 * math.sqrt(3)),) * 3)


def test_a_load_to_neutral_behind_a_transformer_stands_between_two_lines() -> None:
    carry = through_transformer(_transformer(), None, WYE, HIGH)
    drawn = magnitudes(carry(currents(WYE, (0,), 4_800)))
    assert drawn == pytest.approx((10, 10, 0))


def test_a_one_phase_transformer_loads_the_lines_of_its_breaker() -> None:
    split = system(240, 1)
    breaker = Circuit.model_validate(circuit(3, "subpanel", poles=2))
    carry = through_transformer(_transformer(1, 480, 240), breaker, split, HIGH)
    assert magnitudes(carry(currents(split, (0,), 4_800))) == pytest.approx((0, 10, 10))
    unknown = through_transformer(_transformer(1, 480, 240), None, split, HIGH)
    assert len({round(amps, 6) for amps in magnitudes(unknown(spread(split, 4_800)))}) == 1


def test_a_feeder_that_starts_on_line_b_turns_the_lines() -> None:
    breaker = Circuit.model_validate(circuit(3, "subpanel", poles=3))
    carry = over_feeder(breaker, WYE, WYE)
    assert magnitudes(carry(currents(WYE, (0,), 1_200))) == pytest.approx((0, 10, 0), abs=0.01)


def test_a_panel_of_two_lines_on_three_phases() -> None:
    two = system(208, 1)
    breaker = Circuit.model_validate(circuit(3, "subpanel", poles=2))
    carry = over_feeder(breaker, two, WYE)
    assert magnitudes(carry(currents(two, (0, 1), 2_080))) == pytest.approx((0, 10, 10))
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
    carry = over_feeder(breaker, one, WYE)
    assert magnitudes(carry(currents(one, (0,), 20 * voltage))) == pytest.approx(amps)


def test_a_panel_of_two_wires_between_two_lines_is_a_load_between_them() -> None:
    split, one = system(240, 1), system(240, 1, wires=2)
    breaker = Circuit.model_validate(circuit(1, "subpanel", poles=2))
    for feeder in (breaker, None):
        carried = over_feeder(feeder, one, split)(currents(one, (0,), 4_800))
        assert carried == pytest.approx(currents(split, (0, 1), 4_800))


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
    for carry in (
        over_feeder(None, below, one),
        through_transformer(_transformer(phases, 230, volts), None, below, one),
    ):
        assert magnitudes(carry(spread(below, va))) == pytest.approx((va / 230,))
