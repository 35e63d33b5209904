"""What a panel's current is in the panel above it."""

from __future__ import annotations

import math

import pytest

from rollcall.packs.electrical.calculations.loads.carrying import (
    over_feeder,
    through_transformer,
)
from rollcall.packs.electrical.calculations.loads.phases import currents, magnitudes, spread, system
from rollcall.packs.electrical.projects.records import Circuit, Transformer

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
