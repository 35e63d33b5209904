"""Asymmetry by X/R, against the power factors that UL 489 tests breakers at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.calculations.short_circuit.asymmetry import (
    asymmetrical_factor,
    breaker_xr_ratio,
    duty_factor,
    peak_factor,
)
from packs.electrical.calculations.short_circuit.typical import source_xr, transformer_xr


@pytest.mark.parametrize(
    ("rating", "xr"), [(10_000, 1.732), (14_000, 3.180), (20_000, 3.180), (22_000, 4.899)]
)
def test_breakers_are_tested_at_the_x_r_of_their_power_factor(rating: float, xr: float) -> None:
    assert breaker_xr_ratio(rating) == pytest.approx(xr, abs=1e-3)


def test_the_peak_at_a_power_factor_of_15_percent_is_2_29() -> None:
    # IEEE C37.13: power breakers are tested at X/R 6.59, with a peak of 2.29 times the RMS current.
    assert peak_factor(6.59) == pytest.approx(2.29, abs=5e-3)


def test_half_a_cycle_on_the_direct_current_has_fallen_by_pi_over_x_r() -> None:
    assert asymmetrical_factor(6.59) == pytest.approx(1.331, abs=1e-3)  # 15 % power factor


def test_unknown_x_r_of_a_transformer_is_that_of_the_next_size_up() -> None:
    assert [transformer_xr(kva) for kva in (25, 45, 50, 75, 5_000)] == [1.2, 1.2, 1.6, 1.6, 7.9]
    assert source_xr(30_000) == breaker_xr_ratio(30_000)


@given(st.floats(0.05, 200), st.floats(1.01, 5))
def test_more_reactance_is_more_asymmetry(xr: float, times: float) -> None:
    assert 1 <= asymmetrical_factor(xr) <= asymmetrical_factor(xr * times) < 3**0.5
    assert 2**0.5 <= peak_factor(xr) <= peak_factor(xr * times) < 2 * 2**0.5


def test_without_reactance_there_is_no_asymmetry() -> None:
    assert asymmetrical_factor(0) == 1
    assert peak_factor(0) == pytest.approx(2**0.5)


@given(st.floats(0.05, 200), st.sampled_from([10_000, 22_000, 65_000]))
def test_a_rating_counts_less_only_above_the_x_r_of_its_test(xr: float, rating: int) -> None:
    assert (duty_factor(xr, rating) > 1) == (
        peak_factor(xr) / peak_factor(breaker_xr_ratio(rating)) > 1
    )
    assert duty_factor(xr, rating) >= 1
