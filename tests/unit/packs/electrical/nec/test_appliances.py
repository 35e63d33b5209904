"""Tables 220.55 and 220.54, against the worked examples of the NEC's Annex D and its notes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.nec.appliances import (
    cooking_branch_circuit_w,
    dryer_demand_percent,
    dryer_demand_w,
    range_demand,
    range_demand_w,
)
from rollcall.core.errors import InvalidArgument
from tests.support.rules import for_every

cooking_w = st.floats(1_750.5, 27_000)


def test_ranges_all_of_one_rating_above_12_kw_are_as_in_annex_d6() -> None:
    # 24 ranges of 16 kW: 39 kW of column C and 5 % for each of 4 kW.
    assert range_demand_w([16_000] * 24) == pytest.approx(46_800)


def test_ranges_of_unequal_rating_are_as_in_annex_d6() -> None:
    # 5 of 11, 2 of 12, 20 of 13.5, 3 of 18 kW: the average is 13.6 kW, 45 kW grows by 10 %.
    ratings = [11_000] * 5 + [12_000] * 2 + [13_500] * 20 + [18_000] * 3
    assert range_demand_w(ratings) == pytest.approx(49_500)


@for_every(
    ("ratings_kw", "demand_kw"),
    [
        ([12], 8),
        ([8.5], 6.8),  # column B, 80 %
        ([3], 2.4),  # column A, 80 %
        ([16.4], 9.6),  # 4.4 kW above: four steps
        ([12.4], 8),  # no major part of a kilowatt
        ([12.6], 8.4),
        ([3, 3, 4.5], 0.75 * 6 + 0.8 * 4.5),  # A for two and B for one, added
        ([6] * 26, 0.24 * 156),
        ([12] * 26, 41),
        ([12] * 40, 55),
        ([12] * 41, 55.75),
        ([12] * 60, 70),
        ([9, 12, 14], 14 * 1.05),  # (12 + 12 + 14) / 3 is 12.67
    ],
)
def test_cooking_demand_follows_the_columns_and_notes(
    ratings_kw: list[float], demand_kw: float
) -> None:
    assert range_demand_w([kw * 1000 for kw in ratings_kw]) == pytest.approx(demand_kw * 1000)


def test_small_appliances_beside_ranges_count_where_it_is_less() -> None:
    mixed = range_demand([12_000, 5_000])
    assert (mixed.method, mixed.demand_w) == ("column_c", 11_000)  # 8 + 4 kW would be more
    assert range_demand([12_000, 3_000]).method == "mixed"
    assert range_demand([]).demand_w == 0


@given(st.lists(cooking_w, min_size=1, max_size=70), st.randoms(use_true_random=False))
def test_the_order_of_appliances_does_not_matter(
    ratings: list[float], chance: random.Random
) -> None:
    mixed = ratings[:]
    chance.shuffle(mixed)
    assert range_demand_w(mixed) == range_demand_w(ratings)


@given(st.lists(cooking_w, min_size=1, max_size=70))
def test_demand_is_never_above_what_is_connected(ratings: list[float]) -> None:
    assert 0 < range_demand_w(ratings) <= sum(ratings) + 1e-6


@given(st.floats(8_751, 27_000), st.floats(0, 10_000), st.integers(1, 70))
def test_larger_ranges_never_lower_the_demand(watts: float, more: float, count: int) -> None:
    larger = min(watts + more, 27_000)
    assert range_demand_w([larger] * count) >= range_demand_w([watts] * count)


@pytest.mark.parametrize("watts", [0, 1_750, 27_001, float("nan")])
def test_ratings_outside_the_table_are_refused_with_its_range(watts: float) -> None:
    with pytest.raises(InvalidArgument, match="1,750 W and up to 27,000 W") as refused:
        range_demand_w([12_000, watts])
    assert refused.value.field == "nameplateWatts"


def test_a_branch_circuit_for_cooking_follows_note_4() -> None:
    assert cooking_branch_circuit_w(range_w=12_000) == 8_000
    assert cooking_branch_circuit_w(cooktop_w=7_000) == 7_000
    assert cooking_branch_circuit_w(ovens_w=[5_000]) == 5_000
    # 6 + 4 + 4 kW as one range of 14: 8 kW and 10 %.
    assert cooking_branch_circuit_w(cooktop_w=6_000, ovens_w=[4_000, 4_000]) == 8_800


@pytest.mark.parametrize(
    "given_",
    [
        {},
        {"ovens_w": [4_000, 4_000]},
        {"cooktop_w": 6_000, "ovens_w": [4_000] * 3},
        {"range_w": 12_000, "cooktop_w": 6_000},
    ],
)
def test_note_4_has_no_other_combination(given_: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument, match="note 4"):
        cooking_branch_circuit_w(**given_)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("dryers", "percent"),
    [(1, 100), (4, 100), (5, 85), (11, 47), (12, 46), (23, 35), (24, 34.5), (42, 25.5), (43, 25)],
)
def test_the_demand_factor_of_dryers_follows_its_formulas(dryers: int, percent: float) -> None:
    assert dryer_demand_percent(dryers) == percent


def test_a_dryer_counts_5000_w_at_least() -> None:
    assert dryer_demand_w([4_500]) == 5_000
    assert dryer_demand_w([5_500] * 10) == pytest.approx(27_500)
    assert dryer_demand_w([]) == 0
    with pytest.raises(InvalidArgument):
        dryer_demand_w([0])
    with pytest.raises(InvalidArgument):
        dryer_demand_percent(0)


@given(st.integers(1, 100))
def test_one_more_dryer_never_raises_the_factor(dryers: int) -> None:
    assert dryer_demand_percent(dryers + 1) <= dryer_demand_percent(dryers)
