"""The point-to-point method against published worked examples.

Sources: "Electrical Plan Review: Point-to-Point Method of Short-Circuit Calculation" (Bussmann),
with 2 x 500 kcmil from a 300 kVA transformer; the spreadsheet "Available Fault Current Calculation"
(FaultV6-2) by John Sokolik, with a single-phase supply; "Short Circuit Calculation", a sheet with a
3,000 kVA transformer.
"""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.calculations.fault_current import (
    Conductors,
    Windings,
    at_terminals,
    breaker_xr_ratio,
    check_voltage,
    conductor_f,
    duty_factor,
    from_infinite_bus,
    from_utility,
    multiplier,
    peak_factor,
    through_conductors,
    through_transformer,
    transformer_amps,
    transformer_f,
    transformer_xr,
)
from rollcall.core.errors import FailedPrecondition, InvalidArgument


def test_plan_review_example_300_kva_at_208_v() -> None:
    assert transformer_amps(300, 208, 3) == pytest.approx(833, abs=0.5)
    amps = at_terminals(300, 208, 2 * 0.9, 3)
    assert amps == pytest.approx(46_273, rel=5e-4)  # the example rounds 833 and 55.55
    f = conductor_f(46_273, 208, 3, length_ft=20, c_value=22_185, sets=2)
    assert f == pytest.approx(0.174, abs=5e-4)
    assert multiplier(f) == pytest.approx(0.852, abs=5e-4)


def test_sheet_example_3000_kva_at_600_v() -> None:
    assert transformer_amps(3000, 600, 3) == pytest.approx(2886.84, rel=1e-4)  # with 1.732
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


# ---- Fault current from point to point, with resistance and reactance alongside ----


RUN = Conductors("500", "copper", "steel", 100)
UTILITY = from_utility("service", 40_000, 480, 3, 6.0)
HOUSE = from_infinite_bus("service", Windings(50, 1, 240, 2.0, 2.0))


def test_plan_review_example_goes_on_to_a_second_panel() -> None:
    # "Electrical Plan Review" (Bussmann): f is .174 to fault #1, from 46,273 A.
    start = from_infinite_bus("T1", Windings(300, 3, 208, 2, 3))
    first = through_conductors(start, "MSB", Conductors("500", "copper", "steel", 20, 2))
    assert first.f == pytest.approx(0.174, abs=5e-4)
    assert first.line_amps == pytest.approx(46_273 * 0.852, rel=1e-3)
    second = through_conductors(first, "LP", Conductors("2", "copper", "steel", 20))
    # by hand: 1.732 x 20 x 39,425 / (5,907 x 1 x 208) = 1.111, and 39,425 / 2.111
    assert second.f == pytest.approx(1.111, abs=1e-3)
    assert second.line_amps == pytest.approx(18_675, rel=1e-3)


def test_current_resistance_and_reactance_agree_at_the_source() -> None:
    assert sqrt(3) * UTILITY.line_amps * sqrt(UTILITY.r_ohm**2 + UTILITY.x_ohm**2) == pytest.approx(
        480
    )
    assert UTILITY.xr_ratio == pytest.approx(6)
    loop = sqrt(HOUSE.r_ohm**2 + HOUSE.x_ohm**2)
    assert HOUSE.line_amps * loop == pytest.approx(240)


def test_conductors_bring_x_r_towards_their_own() -> None:
    # Chapter 9 Table 9, 500 kcmil copper in steel: X 0.048 and R 0.029 ohm per 1000 ft
    far = through_conductors(UTILITY, "far", Conductors("500", "copper", "steel", 9_000))
    assert far.xr_ratio == pytest.approx(0.048 / 0.029, rel=0.02)
    near = through_conductors(UTILITY, "near", RUN)
    assert 0.048 / 0.029 < near.xr_ratio < UTILITY.xr_ratio


@given(st.floats(1, 5_000))
def test_the_current_stays_close_to_that_of_impedances_added_by_their_angles(feet: float) -> None:
    """C values and Table 9 come from different tables, and sizes add up to more than vectors."""
    end = through_conductors(UTILITY, "end", Conductors("500", "copper", "pvc", feet))
    by_angle = 480 / sqrt(3) / sqrt(end.r_ohm**2 + end.x_ohm**2)
    assert end.line_amps == pytest.approx(by_angle, rel=0.3)


def test_two_lines_of_three_phases_have_87_percent_of_the_current() -> None:
    short = Conductors("500", "copper", "steel", 1e-6)
    two = through_conductors(UTILITY, "two", short, 1)
    assert two.line_amps == pytest.approx(40_000 * 0.866, rel=1e-3)
    assert two.neutral_amps == pytest.approx(40_000, rel=1e-3)
    assert two.neutral_v == pytest.approx(277, abs=0.2)
    assert two.xr_ratio == pytest.approx(6, rel=1e-3)


def test_the_tapped_coil_of_a_delta_has_its_neutral_half_way() -> None:
    delta = from_utility("service", 20_000, 240, 3, 3.0)
    assert through_conductors(delta, "two", RUN, 1).neutral_v == 120


def test_at_a_single_phase_transformer_the_fault_to_neutral_is_one_and_a_half_times() -> None:
    assert HOUSE.neutral_amps == pytest.approx(1.5 * HOUSE.line_amps)
    assert HOUSE.neutral_v == 120
    assert HOUSE.amps == HOUSE.neutral_amps


@given(st.floats(1, 500), st.floats(1.1, 10))
def test_the_fault_to_neutral_falls_faster_with_length(feet: float, times: float) -> None:
    def share(length_ft: float) -> float:
        end = through_conductors(HOUSE, "end", Conductors("4/0", "aluminum", "pvc", length_ft))
        assert end.neutral_amps is not None
        return end.neutral_amps / end.line_amps

    assert share(feet * times) < share(feet) < 1.5


def test_a_single_phase_transformer_on_three_phases_takes_two_lines() -> None:
    windings = Windings(50, 1, 240, 2.0, 2.0, primary_v=480)
    below = through_transformer(UTILITY, "T2", windings)
    assert below.phases == 1
    assert below.line_amps < 50_000 / 240 * 100 / 1.8
    assert below.neutral_amps == pytest.approx(1.5 * below.line_amps)


@given(st.floats(1_000, 200_000), st.floats(15, 2_000))
def test_a_second_transformer_never_passes_more_than_an_infinite_bus(
    amps: float, kva: float
) -> None:
    supply = from_utility("service", amps, 480, 3, 5.0)
    windings = Windings(kva, 3, 208, 4.0, 3.0, primary_v=480)
    below = through_transformer(supply, "T2", windings)
    assert below.line_amps < from_infinite_bus("x", windings).line_amps
    assert below.line_amps < amps * 480 / 208
    by_angle = 208 / sqrt(3) / sqrt(below.r_ohm**2 + below.x_ohm**2)
    assert below.line_amps == pytest.approx(by_angle, rel=0.1)


def test_three_phases_cannot_come_from_one() -> None:
    with pytest.raises(FailedPrecondition, match="'LP' has three phases"):
        through_conductors(HOUSE, "LP", RUN, 3)


def test_equipment_of_another_voltage_than_its_supply_is_refused() -> None:
    check_voltage(UTILITY, 440, "panel 'LP'")
    with pytest.raises(FailedPrecondition, match=r"'LP' is at 208 V, but 'service'.*480 V"):
        check_voltage(UTILITY, 208, "panel 'LP'")
    with pytest.raises(FailedPrecondition, match="primary of 'T2'"):
        through_transformer(UTILITY, "T2", Windings(50, 3, 208, 2.0, 2.0, primary_v=4_160))


def test_a_size_without_a_c_value_is_refused() -> None:
    with pytest.raises(InvalidArgument) as refused:
        through_conductors(UTILITY, "LP", Conductors("700", "copper", "steel", 10))
    assert refused.value.field == "conductorSize"


def test_a_single_phase_run_counts_there_and_back() -> None:
    # Chapter 9 Table 9, 500 kcmil copper in steel: R 0.029 and X 0.048 ohm per 1000 ft
    end = through_conductors(HOUSE, "end", RUN)
    assert end.r_ohm - HOUSE.r_ohm == pytest.approx(0.029 * 0.1 * 2)
    assert end.x_ohm - HOUSE.x_ohm == pytest.approx(0.048 * 0.1 * 2)


def test_impedances_before_a_transformer_count_by_the_square_of_its_ratio() -> None:
    below = through_transformer(UTILITY, "T2", Windings(75, 3, 208, 4.0, 1.0, primary_v=480))
    winding = 0.04 * 0.9 * 208**2 / 75_000 / sqrt(2)
    assert below.r_ohm == pytest.approx(UTILITY.r_ohm * (208 / 480) ** 2 + winding)
    assert below.x_ohm == pytest.approx(UTILITY.x_ohm * (208 / 480) ** 2 + winding)


def test_two_lines_of_a_network_have_120_v_to_neutral() -> None:
    assert from_utility("service", 20_000, 208, 1, 3.0).neutral_v == pytest.approx(120.1, abs=0.1)
    assert from_utility("service", 20_000, 240, 1, 3.0).neutral_v == 120


# ---- Asymmetry by X/R, against the power factors that UL 489 tests breakers at ----


@pytest.mark.parametrize(
    ("rating", "xr"), [(10_000, 1.732), (14_000, 3.180), (20_000, 3.180), (22_000, 4.899)]
)
def test_breakers_are_tested_at_the_x_r_of_their_power_factor(rating: float, xr: float) -> None:
    assert breaker_xr_ratio(rating) == pytest.approx(xr, abs=1e-3)


def test_the_peak_at_a_power_factor_of_15_percent_is_2_29() -> None:
    # IEEE C37.13: power breakers are tested at X/R 6.59, with a peak of 2.29 times the RMS current.
    assert peak_factor(6.59) == pytest.approx(2.29, abs=5e-3)


def test_unknown_x_r_of_a_transformer_is_that_of_the_next_size_up() -> None:
    assert [transformer_xr(kva) for kva in (25, 45, 50, 75, 5_000)] == [1.2, 1.2, 1.6, 1.6, 7.9]
    assert breaker_xr_ratio(30_000) == breaker_xr_ratio(30_000)


@given(st.floats(0.05, 200), st.floats(1.01, 5))
def test_more_reactance_is_more_asymmetry(xr: float, times: float) -> None:
    assert 2**0.5 <= peak_factor(xr) <= peak_factor(xr * times) < 2 * 2**0.5


def test_without_reactance_there_is_no_asymmetry() -> None:
    assert peak_factor(0) == pytest.approx(2**0.5)


@given(st.floats(0.05, 200), st.sampled_from([10_000, 22_000, 65_000]))
def test_a_rating_counts_less_only_above_the_x_r_of_its_test(xr: float, rating: int) -> None:
    assert (duty_factor(xr, rating) > 1) == (
        peak_factor(xr) / peak_factor(breaker_xr_ratio(rating)) > 1
    )
    assert duty_factor(xr, rating) >= 1
