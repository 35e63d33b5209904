"""Lighting, receptacle, cooking and dryer loads, against the NEC's tables and its Annex D."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.nec.editions import EDITIONS
from packs.electrical.nec.loads import (
    dryer_demand_percent,
    dryer_demand_w,
    find_occupancy,
    lighting_demand_va,
    lighting_va_per_ft2,
    parse_occupancy,
    range_demand_w,
    receptacle_demand_va,
)
from packs.electrical.nec.tables import Figure, table_note
from rollcall.core.errors import InvalidArgument
from tests.support.for_every import for_every

loads = st.floats(0, 1_000_000)
occupancies = st.sampled_from(["dwelling", "hospital", "hotel", "warehouse", "office", "other"])
editions = st.sampled_from(EDITIONS)


@for_every(
    ("occupancy", "edition", "va_per_ft2", "verified"),
    [
        ("dwelling", 2017, 3, True),
        ("dwelling", 2023, 3, True),
        ("dwelling", 2026, 2, False),
        ("office", 2017, 3.5, True),
        ("office", 2020, 1.3, True),
        ("office", 2023, 1.3, True),
        ("office", 2026, 1.3, False),
        ("warehouse", 2017, 0.25, True),
        ("warehouse", 2023, 1.2, True),
        ("bank", 2023, 1.3, True),
        ("store", 2023, 1.9, True),
        ("workshop", 2023, 1.7, True),
        ("school", 2023, 1.5, True),
    ],
)
def test_the_lighting_load_is_that_of_its_edition(
    occupancy: str, edition: Any, va_per_ft2: float, verified: bool
) -> None:
    figure = lighting_va_per_ft2(occupancy, edition)
    assert (figure.value, figure.note is None) == (va_per_ft2, verified)
    assert (figure.note is None) == verified


def test_the_dwelling_figure_of_2026_says_where_it_comes_from() -> None:
    note = lighting_va_per_ft2("dwelling", 2026).note
    assert note is not None
    assert "secondary" in note.say("en")
    assert "2026" in note.say("he")


@pytest.mark.parametrize(("occupancy", "edition"), [("workshop", 2017), ("corridor", 2023)])
def test_an_occupancy_the_edition_has_not_is_refused(occupancy: str, edition: Any) -> None:
    with pytest.raises(InvalidArgument, match=f"in {edition}; it has ") as refused:
        lighting_va_per_ft2(occupancy, edition)
    assert refused.value.field == "occupancy"


@pytest.mark.parametrize(
    ("va", "occupancy", "demand"),
    [
        (2_500, "dwelling", 2_500),
        (7_500, "dwelling", 3_000 + 0.35 * 4_500),
        (16_500, "dwelling", 7_725),
        (130_000, "dwelling", 3_000 + 0.35 * 117_000 + 0.25 * 10_000),
        (20_000, "warehouse", 12_500 + 3_750),
        (9_000, "office", 9_000),
        (0, "dwelling", 0),
    ],
)
def test_lighting_demand_is_taken_in_steps(va: float, occupancy: str, demand: float) -> None:
    figure = lighting_demand_va(va, occupancy)
    assert figure.value == pytest.approx(demand)
    assert figure.note is None


@pytest.mark.parametrize(
    ("occupancy", "va", "demand"), [("hospital", 100_000, 30_000), ("hotel", 200_000, 72_000)]
)
def test_hospitals_and_hotels_are_verified_for_2017_alone(
    occupancy: str, va: float, demand: float
) -> None:
    assert lighting_demand_va(va, occupancy, 2017) == Figure(pytest.approx(demand))
    for edition in (2020, 2023, 2026):
        figure = lighting_demand_va(va, occupancy, edition)  # type: ignore[arg-type]
        assert figure.note
        assert (
            figure.note is not None
            and "2017" in figure.note.say("en")
            and "2017" in figure.note.say("he")
        )


@given(loads, loads, occupancies, editions)
def test_more_load_never_lowers_the_demand(
    one: float, other: float, occupancy: str, edition: Any
) -> None:
    less, more = sorted((one, other))
    small = lighting_demand_va(less, occupancy, edition).value
    assert small <= lighting_demand_va(more, occupancy, edition).value
    assert 0 <= small <= less * (1 + 1e-12)
    assert receptacle_demand_va(less) <= receptacle_demand_va(more)


def test_receptacles_count_half_above_10_kva() -> None:
    assert [receptacle_demand_va(va) for va in (8_000, 10_000, 15_000)] == [8_000, 10_000, 12_500]


@pytest.mark.parametrize("va", [-1, float("nan"), float("inf")])
def test_a_load_is_a_number(va: float) -> None:
    with pytest.raises(InvalidArgument, match="0 VA or more"):
        receptacle_demand_va(va)
    with pytest.raises(InvalidArgument, match="0 VA or more"):
        lighting_demand_va(va, "office")


@pytest.mark.parametrize(
    ("text", "key"),
    [("House", "dwelling"), ("משרד", "office"), ("retail", "store"), ("בית מלון", "hotel")],
)
def test_an_occupancy_is_known_by_its_words(text: str, key: str) -> None:
    assert parse_occupancy(text) == key


def test_an_occupancy_is_found_in_a_sentence() -> None:
    assert find_occupancy("the lighting load of an office building, please") == "office"
    assert find_occupancy("כמה עומס תאורה לבית ספר?") == "school"
    assert find_occupancy("nothing of the kind") is None
    with pytest.raises(InvalidArgument, match="dwelling"):
        parse_occupancy("spaceship")


@pytest.mark.parametrize(
    ("name", "verified"),
    [
        ("310_16", [2017, 2020, 2023]),
        ("310_15_b_1_1", [2017, 2020, 2023, 2026]),
        ("220_54", [2017, 2020, 2023]),
        ("430_52", [2017, 2020, 2023]),
    ],
)
def test_a_table_has_a_note_for_editions_it_was_not_checked_against(
    name: str, verified: list[int]
) -> None:
    for edition in EDITIONS:
        assert (table_note(name, edition) is None) == (edition in verified)


def test_what_is_known_of_the_dryers_of_2026_is_said() -> None:
    note = table_note("220_54", 2026)
    assert note is not None
    assert "80 %" in note.say("en") and "120.54" in note.say("he")


def test_what_is_said_of_hospitals_and_hotels_is_said_of_them_alone() -> None:
    for occupancy, edition, is_theirs in (
        ("dwelling", 2026, False),
        ("warehouse", 2026, False),
        ("hospital", 2023, True),
        ("hotel", 2026, True),
    ):
        found = lighting_demand_va(10_000, occupancy, edition)
        assert found.note is not None
        assert ("hospitals" in found.note.say("en")) is is_theirs
        assert ("בתי חולים" in found.note.say("he")) is is_theirs


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


def test_small_appliances_beside_ranges_count_by_note_3_where_it_is_less() -> None:
    assert range_demand_w([12_000, 5_000]) == 11_000  # column C; 8 + 4 kW would be more
    assert range_demand_w([12_000, 3_000]) == 8_000 + 0.8 * 3_000
    assert range_demand_w([]) == 0


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
