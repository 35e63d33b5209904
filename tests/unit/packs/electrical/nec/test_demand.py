"""Lighting and receptacle loads, and the standing of each figure in each edition."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.nec.demand import (
    lighting_demand_va,
    lighting_va_per_ft2,
    receptacle_demand_va,
)
from packs.electrical.nec.editions import EDITIONS
from packs.electrical.nec.figures import standing
from packs.electrical.nec.occupancies import find_occupancy, parse_occupancy
from rollcall.core.errors import InvalidArgument
from tests.support.rules import for_every

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
    assert (figure.value, figure.verified) == (va_per_ft2, verified)
    assert (figure.note is None) == verified


def test_the_dwelling_figure_of_2026_says_where_it_comes_from() -> None:
    note = lighting_va_per_ft2("dwelling", 2026).note
    assert note is not None
    assert "secondary" in note.en
    assert "2026" in note.he


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
    assert figure.verified


@pytest.mark.parametrize(
    ("occupancy", "va", "demand"), [("hospital", 100_000, 30_000), ("hotel", 200_000, 72_000)]
)
def test_hospitals_and_hotels_are_verified_for_2017_alone(
    occupancy: str, va: float, demand: float
) -> None:
    assert lighting_demand_va(va, occupancy, 2017) == (pytest.approx(demand), True, None)
    for edition in (2020, 2023, 2026):
        figure = lighting_demand_va(va, occupancy, edition)  # type: ignore[arg-type]
        assert not figure.verified
        assert figure.note is not None and "2017" in figure.note.en and "2017" in figure.note.he


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
def test_a_tables_standing_is_said_for_each_edition(name: str, verified: list[int]) -> None:
    for edition in EDITIONS:
        found = standing(name, edition)
        assert found.verified == (edition in verified)
        assert (found.note is None) == found.verified


def test_what_is_known_of_the_dryers_of_2026_is_said() -> None:
    note = standing("220_54", 2026).note
    assert note is not None
    assert "80 %" in note.en and "120.54" in note.he


def test_what_is_said_of_hospitals_and_hotels_is_said_of_them_alone() -> None:
    for occupancy, edition, is_theirs in (
        ("dwelling", 2026, False),
        ("warehouse", 2026, False),
        ("hospital", 2023, True),
        ("hotel", 2026, True),
    ):
        found = lighting_demand_va(10_000, occupancy, edition)
        assert not found.verified and found.note is not None
        assert ("hospitals" in found.note.en) is is_theirs
        assert ("בתי חולים" in found.note.he) is is_theirs
