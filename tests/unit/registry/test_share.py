"""Shares with intervals. Expected values: Newcombe, Statistics in Medicine 17 (1998), 857, 873."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.registry.share import Share, difference

counts = st.integers(0, 5_000)


@pytest.mark.parametrize(
    ("n", "of", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval(n: int, of: int, low: float, high: float) -> None:
    assert Share(n, of).interval == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        (Share(56, 70), Share(48, 80), 0.0524, 0.3339),
        (Share(9, 10), Share(3, 10), 0.1705, 0.8090),
        (Share(0, 20), Share(0, 10), -0.2775, 0.1611),
        (Share(10, 10), Share(0, 20), 0.6791, 1.0000),
    ],
)
def test_newcombes_interval_of_a_difference(
    one: Share, other: Share, low: float, high: float
) -> None:
    assert difference(one, other) == pytest.approx((low, high), abs=5e-5)


def test_nothing_says_nothing() -> None:
    assert (Share(0, 0).value, Share(0, 0).interval) == (None, (0.0, 1.0))
    assert difference(Share(0, 0), Share(5, 5)) == (-1.0, 1.0)
    assert str(Share(0, 0)) == "–"
    assert str(Share(3, 4)) == "75% (30%–95%, 3 of 4)"


@given(counts, counts)
def test_the_share_lies_in_its_interval_and_more_of_it_narrows_that(n: int, more: int) -> None:
    few, many = Share(n, n + more), Share(10 * n, 10 * (n + more))
    low, high = few.interval
    assert 0 <= low <= high <= 1
    if few.value is not None:
        assert low - 1e-9 <= few.value <= high + 1e-9
        assert many.interval[1] - many.interval[0] <= high - low


@given(counts, counts, counts, counts)
def test_a_difference_turns_its_sign_with_its_sides(a: int, b: int, c: int, d: int) -> None:
    one, other = Share(a, a + b), Share(c, c + d)
    low, high = difference(one, other)
    assert difference(other, one) == pytest.approx((-high, -low))
