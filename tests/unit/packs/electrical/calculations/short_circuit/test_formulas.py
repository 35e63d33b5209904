"""The point-to-point method against published worked examples.

Sources: "Electrical Plan Review: Point-to-Point Method of Short-Circuit Calculation" (Bussmann),
with 2 x 500 kcmil from a 300 kVA transformer; the spreadsheet "Available Fault Current Calculation"
(FaultV6-2) by John Sokolik, with a single-phase supply; "Short Circuit Calculation", a sheet with a
3,000 kVA transformer.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.calculations.short_circuit.formulas import (
    at_terminals,
    conductor_f,
    full_load_amps,
    multiplier,
    transformer_f,
)


def test_plan_review_example_300_kva_at_208_v() -> None:
    assert full_load_amps(300, 208, 3) == pytest.approx(833, abs=0.5)
    amps = at_terminals(300, 208, 2 * 0.9, 3)
    assert amps == pytest.approx(46_273, rel=5e-4)  # the example rounds 833 and 55.55
    f = conductor_f(46_273, 208, 3, length_ft=20, c_value=22_185, sets=2)
    assert f == pytest.approx(0.174, abs=5e-4)
    assert multiplier(f) == pytest.approx(0.852, abs=5e-4)


def test_sheet_example_3000_kva_at_600_v() -> None:
    assert full_load_amps(3000, 600, 3) == pytest.approx(2886.84, rel=1e-4)  # with 1.732
    amps = at_terminals(3000, 600, 7.5, 3)
    assert amps == pytest.approx(38_491.15, rel=1e-4)
    f = conductor_f(38_491.15, 600, 3, length_ft=903, c_value=26_706, sets=3)
    assert f == pytest.approx(1.2523, abs=1e-4)
    assert amps * multiplier(f) == pytest.approx(17_089.56, rel=1e-4)


def test_spreadsheet_example_300_kva_single_phase() -> None:
    amps = at_terminals(300, 240, 3 * 0.9, 1)
    assert amps == pytest.approx(46_296, abs=0.5)
    steps = [(150, 13_923, 4.156, 8_978), (40, 2_430, 1.231, 4_024), (30, 617, 1.630, 1_530)]
    for length_ft, c, printed_f, printed_amps in steps:
        f = conductor_f(amps, 240, 1, length_ft=length_ft, c_value=c)
        assert f == pytest.approx(printed_f, abs=1e-3)
        amps *= multiplier(f)
        assert amps == pytest.approx(printed_amps, abs=1)


@given(st.floats(10, 5_000), st.floats(1, 10), st.sampled_from([1, 3]))
def test_a_transformer_behind_an_endless_supply_gives_the_current_of_an_infinite_bus(
    kva: float, percent: float, phases: int
) -> None:
    endless = 1e12
    f = transformer_f(endless, 480, phases, kva=kva, impedance_percent=percent)  # type: ignore[arg-type]
    secondary = 480 / 208 * multiplier(f) * endless
    bus = at_terminals(kva, 208, percent, phases)  # type: ignore[arg-type]
    assert secondary == pytest.approx(bus, rel=1e-3)
    assert secondary < bus


@given(st.floats(100, 200_000), st.floats(1, 5_000), st.floats(200, 40_000), st.integers(1, 12))
def test_a_run_only_lessens_the_current(amps: float, feet: float, c: float, sets: int) -> None:
    f = conductor_f(amps, 480, 3, length_ft=feet, c_value=c, sets=sets)
    longer = conductor_f(amps, 480, 3, length_ft=feet * 2, c_value=c, sets=sets)
    assert 0 < multiplier(longer) < multiplier(f) < 1
    assert conductor_f(amps, 480, 3, length_ft=feet, c_value=c, sets=sets + 1) < f


@given(st.floats(100, 200_000), st.floats(1, 5_000), st.floats(200, 40_000))
def test_two_runs_in_a_row_are_one_of_both_lengths(amps: float, feet: float, c: float) -> None:
    first = amps * multiplier(conductor_f(amps, 480, 3, length_ft=feet, c_value=c))
    second = first * multiplier(conductor_f(first, 480, 3, length_ft=feet, c_value=c))
    whole = amps * multiplier(conductor_f(amps, 480, 3, length_ft=2 * feet, c_value=c))
    assert second == pytest.approx(whole)
