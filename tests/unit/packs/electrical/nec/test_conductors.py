"""Conductors: sizes as people write them, insulation types, and ampacity with its correction."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.nec import tables
from packs.electrical.nec.conductors import (
    RATINGS,
    SIZES,
    Material,
    adjustment_factor,
    ampacity,
    area_mm2,
    circular_mils,
    insulation_rating,
    label,
    parse_material,
    parse_size,
    rank,
    small_conductor_limit,
    smallest_of,
    temperature_factor,
)
from rollcall.core.errors import InvalidArgument
from tests.support.for_every import for_every

sizes = st.sampled_from(SIZES)


@for_every(
    ("text", "size"),
    [
        ("#12", "12"),
        ("12 AWG", "12"),
        ("AWG 12", "12"),
        ("AWG #12", "12"),
        ("No. 8", "8"),
        ("14-gauge", "14"),
        ("2/0", "2/0"),
        ("AWG 1/0", "1/0"),
        ("0", "1/0"),
        ("00", "2/0"),
        ("0000", "4/0"),
        ("250 kcmil", "250"),
        ("250 MCM", "250"),
        ("500kcmil", "500"),
        ("kcmil 500", "500"),
        ("MCM 350", "350"),
        (" 3.31 mm2 ", "12"),
        ("2.08 mm²", "14"),
        ("53.5 mm²", "1/0"),
        ("127 mm²", "250"),
    ],
)
def test_a_size_is_read_in_any_usual_spelling(text: str, size: str) -> None:
    assert parse_size(text) == size


@for_every(
    "text",
    [
        "",
        "5/0",
        "12/2",
        "7",
        "250 AWG",
        "12 kcmil",
        "kcmil 12",
        "225",
        "copper",
        "-12",
        "1 2",
        "12 V",
    ],
)
def test_what_is_no_size_is_refused_with_those_that_are(text: str) -> None:
    with pytest.raises(InvalidArgument, match=r"18 to 4/0.*250, 300") as refused:
        parse_size(text)
    assert refused.value.field == "conductorSize"


@pytest.mark.parametrize("text", ["2.5 mm²", "4 mm2", "6 mm²", "95 mm²"])
def test_a_size_of_the_metric_series_is_not_taken_for_its_neighbour(text: str) -> None:
    with pytest.raises(InvalidArgument, match=r"nearest: .*mm²"):
        parse_size(text)


@given(sizes)
def test_a_label_reads_back_as_its_size(size: str) -> None:
    assert parse_size(label(size)) == size
    assert parse_size(f"{area_mm2(size):.4g} mm²") == size


@given(sizes)
def test_the_smallest_size_of_an_area_is_the_size_that_has_it(size: str) -> None:
    area = circular_mils(size)
    assert smallest_of(area) == size
    assert smallest_of(area - 0.5) == size


def test_areas_are_those_of_table_8() -> None:
    assert (circular_mils("12"), circular_mils("4/0"), circular_mils("500")) == (
        6_530,
        211_600,
        500_000,
    )
    assert area_mm2("12") == pytest.approx(3.31, abs=0.005)


def test_a_kcmil_size_between_two_has_the_larger_ones_rank() -> None:
    # Table 250.122 had 1200 kcmil until 2017; 1250 kcmil serves for it and 1000 does not.
    assert rank("1000") < rank("1200") == rank("1250")
    assert (circular_mils("1200"), label("1200")) == (1_200_000, "1200 kcmil")


def test_no_single_conductor_is_larger_than_2000_kcmil() -> None:
    with pytest.raises(InvalidArgument, match="parallel"):
        smallest_of(2_000_001)
    with pytest.raises(InvalidArgument, match="2000 kcmil"):
        circular_mils("2500")


@pytest.mark.parametrize(
    ("text", "material"),
    [
        ("Cu", "copper"),
        ("copper", "copper"),
        ("נחושת", "copper"),
        ("Al", "aluminum"),
        ("aluminium", "aluminum"),
        (" ALUMINUM ", "aluminum"),
        ("אלומיניום", "aluminum"),
    ],
)
def test_a_material_is_read_in_any_usual_spelling(text: str, material: str) -> None:
    assert parse_material(text) == material


def test_an_unknown_material_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="copper") as refused:
        parse_material("silver")
    assert refused.value.field == "conductorMaterial"


MATERIALS = get_args(Material)


@for_every(
    ("size", "material", "rating", "amps"),
    [
        ("14", "copper", 60, 15),  # 20 before 2011: the trap of mixed tables
        ("12", "copper", 60, 20),
        ("12", "copper", 75, 25),
        ("8", "copper", 75, 50),
        ("6", "aluminum", 90, 55),  # 60 before 2011
        ("4", "aluminum", 75, 65),
        ("3", "copper", 90, 115),
        ("1", "copper", 90, 145),
        ("2/0", "copper", 75, 175),
        ("3/0", "copper", 90, 225),
        ("4/0", "aluminum", 75, 180),
        ("300", "aluminum", 60, 195),
        ("500", "copper", 75, 380),
        ("600", "copper", 60, 350),
        ("750", "aluminum", 75, 385),
        ("2000", "copper", 90, 750),
        ("18", "copper", 90, 14),
    ],
)
def test_ampacity_is_that_of_table_310_16(
    size: str, material: Any, rating: Any, amps: float
) -> None:
    assert ampacity(size, material, rating) == amps


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("rating", RATINGS)
def test_a_larger_conductor_never_has_less_ampacity(material: Any, rating: Any) -> None:
    index = 1 + MATERIALS.index(material) * 3 + RATINGS.index(rating)
    column = [cells[index] for cells in tables.cells("310_16") if cells[index] is not None]
    assert all(larger > smaller for smaller, larger in pairwise(column))


@given(st.sampled_from(SIZES[2:]), st.sampled_from(MATERIALS))
def test_a_higher_rating_and_copper_carry_more(size: str, material: Any) -> None:
    if (size, material) != ("14", "aluminum"):
        amps = [ampacity(size, material, rating) for rating in RATINGS]
        assert amps == sorted(set(amps))
        assert ampacity(size, "copper", 75) >= amps[1]


@pytest.mark.parametrize(
    ("size", "material", "rating"),
    [("14", "aluminum", 75), ("16", "copper", 75), ("18", "aluminum", 90), ("1200", "copper", 75)],
)
def test_what_the_table_has_not_is_refused_with_its_range(
    size: str, material: Any, rating: Any
) -> None:
    with pytest.raises(InvalidArgument, match=r"310\.16 has no ampacity.*it has AWG \d+ to 2000"):
        ampacity(size, material, rating)


@pytest.mark.parametrize(
    ("ambient_c", "rating", "factor"),
    [
        (30, 75, 1.0),
        (30.5, 75, 0.94),
        (35, 75, 0.94),
        (36, 75, 0.88),
        (45, 90, 0.87),
        (50, 60, 0.58),
        (5, 60, 1.29),
        (-20, 90, 1.15),
        (85, 90, 0.29),
    ],
)
def test_the_temperature_factor_is_that_of_its_band(
    ambient_c: float, rating: Any, factor: float
) -> None:
    assert temperature_factor(ambient_c, rating) == factor


def test_the_temperature_factors_follow_the_codes_formula() -> None:
    for top, *factors in tables.cells("310_15_b_1_1"):
        for rating, factor in zip(RATINGS, factors, strict=True):
            if factor is not None:
                assert factor == pytest.approx(math.sqrt((rating - top) / (rating - 30)), abs=0.006)


@pytest.mark.parametrize(("ambient_c", "rating"), [(56, 60), (71, 75), (86, 90), (math.nan, 90)])
def test_too_hot_a_place_is_refused(ambient_c: float, rating: Any) -> None:
    with pytest.raises(InvalidArgument, match="may not be used") as refused:
        temperature_factor(ambient_c, rating)
    assert refused.value.field == "ambientC"


@given(st.floats(-40, 85), st.floats(0, 40))
def test_a_hotter_place_never_raises_the_factor(ambient_c: float, more: float) -> None:
    hotter = min(ambient_c + more, 85.0)
    assert temperature_factor(hotter, 90) <= temperature_factor(ambient_c, 90)


@for_every(
    ("conductors", "factor"),
    [
        (1, 1),
        (3, 1),
        (4, 0.8),
        (6, 0.8),
        (7, 0.7),
        (9, 0.7),
        (10, 0.5),
        (20, 0.5),
        (21, 0.45),
        (40, 0.4),
        (41, 0.35),
        (500, 0.35),
    ],
)
def test_the_adjustment_factor_is_that_of_its_row(conductors: int, factor: float) -> None:
    assert adjustment_factor(conductors) == factor


def test_no_conductor_is_no_bundle() -> None:
    with pytest.raises(InvalidArgument, match="at least 1"):
        adjustment_factor(0)


def test_small_conductors_are_limited_as_in_240_4_d() -> None:
    copper = [small_conductor_limit(size, "copper") for size in ("18", "16", "14", "12", "10")]
    assert copper == [7, 10, 15, 20, 30]
    assert [small_conductor_limit(size, "aluminum") for size in ("12", "10")] == [15, 25]
    assert small_conductor_limit("8", "copper") is None


@for_every(
    ("insulation", "wet", "rating"),
    [
        ("THHN", False, 90),
        ("thwn", True, 75),
        ("THHN/THWN", True, 75),
        ("THHN/THWN-2", True, 90),
        ("XHHW", False, 90),
        ("XHHW", True, 75),
        ("XHHW-2", True, 90),
        ("RHW-2", True, 90),
        ("NM-B", False, 60),
        ("UF-B", True, 60),
        ("TW", True, 60),
        ("USE-2", True, 90),
    ],
)
def test_an_insulation_has_its_rating(insulation: str, wet: bool, rating: int) -> None:
    assert insulation_rating(insulation, wet=wet) == rating


@pytest.mark.parametrize(
    ("insulation", "wet", "said"),
    [("THHN", True, "not for wet"), ("NM-B", True, "not for wet"), ("ABC", False, "known: ")],
)
def test_an_insulation_that_does_not_fit_is_refused(insulation: str, wet: bool, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said) as refused:
        insulation_rating(insulation, wet=wet)
    assert refused.value.field == "insulation"
