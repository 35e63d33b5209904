"""240.6(A) and 240.4(B), (C)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.nec import tables
from packs.electrical.nec.overcurrent import (
    STANDARD_RATINGS,
    fuse_ratings,
    largest_allowed,
    next_standard,
    standard_not_above,
)
from rollcall.core.errors import InvalidArgument
from tests.support.for_every import for_every

amperes = st.floats(0.1, 6_000)


def test_the_ratings_are_those_of_the_stored_table() -> None:
    alike = [amps for amps, device in tables.cells("240_6_a", 2017) if device == "breaker_or_fuse"]
    assert alike == list(STANDARD_RATINGS)
    assert set(fuse_ratings()) - set(STANDARD_RATINGS) == {1, 3, 6, 10, 601}


@for_every(
    ("ampacity", "device"),
    [
        (85, 90),
        (100, 100),
        (65, 70),
        (760, 800),
        (800, 800),
        (810, 800),  # 240.4(C): above 800 A no rounding up
        (920, 800),
        (1000, 1000),
        (1150, 1000),
        (6000, 6000),
        (7000, 6000),
        (14, 15),
        (10, 10),
        (8.75, 10),  # 240.6(A): a rating of fuses, and of breakers since 2023
    ],
)
def test_the_largest_device_rounds_up_to_800_a_only(ampacity: float, device: int) -> None:
    assert largest_allowed(ampacity) == device


@given(amperes)
def test_the_next_standard_rating_is_the_smallest_that_reaches(amps: float) -> None:
    found = next_standard(amps)
    assert found in STANDARD_RATINGS
    assert found >= amps
    assert all(rating < amps for rating in STANDARD_RATINGS if rating < found)


@pytest.mark.parametrize(
    ("amps", "rating"), [(14.9, 0), (15, 15), (249.9, 225), (250, 250), (9_000, 6_000)]
)
def test_the_largest_rating_not_above_a_current_is_0_below_all(amps: float, rating: int) -> None:
    assert standard_not_above(amps) == rating


@given(amperes, amperes)
def test_more_ampacity_never_allows_a_smaller_device(one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert largest_allowed(less) <= largest_allowed(more)


def test_fuses_have_smaller_ratings() -> None:
    assert [next_standard(amps, fuse_ratings()) for amps in (0.5, 2, 7, 600.5)] == [1, 3, 10, 601]


@pytest.mark.parametrize("amps", [0, -1, float("nan"), float("inf"), 6_001])
def test_what_no_device_protects_is_refused(amps: float) -> None:
    with pytest.raises(InvalidArgument, match=r"above 0 A|ends at 6000 A") as caught:
        next_standard(amps)
    assert caught.value.field == "loadAmps"


def test_an_ampacity_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        largest_allowed(0)
