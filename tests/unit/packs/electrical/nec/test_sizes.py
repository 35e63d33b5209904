"""Sizes as people write them, and their areas in Chapter 9 Table 8."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.nec.sizes import (
    SIZES,
    area_mm2,
    circular_mils,
    label,
    next_larger,
    parse_material,
    parse_size,
    rank,
    smallest_of,
)
from rollcall.core.errors import InvalidArgument
from tests.support.rules import for_every

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
def test_the_next_larger_size_is_larger(size: str) -> None:
    larger = next_larger(size)
    if larger is None:
        assert size == "2000"
    else:
        assert (rank(larger), circular_mils(larger) > circular_mils(size)) == (rank(size) + 1, True)


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
    assert next_larger("1200") == "1250"
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
