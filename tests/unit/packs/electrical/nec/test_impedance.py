"""Chapter 9 Tables 8 and 9, and the C values made of the same conductors."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.nec import tables
from packs.electrical.nec.conductors import SIZES, Material
from packs.electrical.nec.impedance import (
    Conduit,
    Impedance,
    ac_impedance,
    c_figure,
    conduit_of,
    dc_resistance,
)
from packs.electrical.projects.records import ConduitType
from rollcall.core.errors import InvalidArgument

MATERIALS, CONDUITS = get_args(Material), get_args(Conduit)
IN_TABLE_9 = [cells[0] for cells in tables.cells("chapter_9_table_9")]


@pytest.mark.parametrize(
    ("size", "material", "conduit", "r", "x"),
    [
        ("12", "copper", "pvc", 2.0, 0.054),
        ("12", "copper", "steel", 2.0, 0.068),
        ("1/0", "copper", "aluminum", 0.13, 0.044),  # 0.12 on a page that misprints it
        ("4/0", "copper", "steel", 0.063, 0.051),
        ("250", "aluminum", "aluminum", 0.09, 0.041),
        ("500", "aluminum", "steel", 0.045, 0.048),
        ("1000", "copper", "pvc", 0.015, 0.037),
    ],
)
def test_impedance_is_that_of_table_9(
    size: str, material: Any, conduit: Any, r: float, x: float
) -> None:
    assert ac_impedance(size, material, conduit) == Impedance(r, x)


def test_the_tables_effective_impedance_follows_from_its_own_r_and_x() -> None:
    """Z at a power factor of 0.85 is printed beside R and X: the cells check one another."""
    checked = 0
    for size, *cells in tables.cells("chapter_9_table_9"):
        for at, material in ((8, "copper"), (11, "aluminum")):
            for place, conduit in enumerate(CONDUITS):
                printed = cells[at + place]
                if printed is None:
                    continue
                found = ac_impedance(size, material, conduit)  # type: ignore[arg-type]
                z = found.r_ohm_per_kft * 0.85 + found.x_ohm_per_kft * math.sin(math.acos(0.85))
                # Both are printed with two digits.
                assert z == pytest.approx(printed, rel=0.06), (size, material, conduit)
                checked += 1
    assert checked == 123


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("conduit", CONDUITS)
def test_a_larger_conductor_never_resists_more(material: Any, conduit: Any) -> None:
    sizes = [size for size in IN_TABLE_9 if (size, material) != ("14", "aluminum")]
    found = [ac_impedance(size, material, conduit).r_ohm_per_kft for size in sizes]
    assert all(larger < smaller for smaller, larger in pairwise(found))


@given(st.sampled_from(SIZES), st.sampled_from(SIZES), st.sampled_from(MATERIALS))
def test_a_larger_conductor_never_has_more_direct_current_resistance(
    one: str, other: str, material: Any
) -> None:
    small, large = sorted((one, other), key=SIZES.index)
    assert dc_resistance(large, material) <= dc_resistance(small, material)


@pytest.mark.parametrize(
    ("size", "material", "message"),
    [("14", "aluminum", "it has AWG 12"), ("700", "copper", "750"), ("1250", "copper", "1000")],
)
def test_what_table_9_leaves_out_is_refused(size: str, material: Any, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        ac_impedance(size, material, "steel")


def test_direct_current_resistance_is_that_of_table_8() -> None:
    assert dc_resistance("12", "copper") == 1.98
    assert dc_resistance("12", "copper", stranded=False) == 1.93
    assert dc_resistance("4/0", "aluminum") == 0.1
    assert dc_resistance("700", "copper") == 0.0184


def test_resistance_follows_the_temperature() -> None:
    # Copper at 20 °C is 1 + 0.00323 * (20 - 75) = 0.82235 of that at 75 °C.
    assert dc_resistance("1/0", "copper", temperature_c=20) == pytest.approx(0.122 * 0.82235)
    assert dc_resistance("1/0", "aluminum", temperature_c=90) == pytest.approx(0.201 * 1.0495)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"size": "6", "material": "copper", "stranded": False}, "no solid 6"),
        ({"size": "12", "material": "copper", "temperature_c": 400}, "-50 to 250"),
        ({"size": "1200", "material": "copper"}, "no stranded 1200"),
    ],
)
def test_what_table_8_leaves_out_is_refused(given_: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        dc_resistance(**given_)


def test_every_raceway_of_a_record_has_its_column() -> None:
    by_column = {
        "steel": {"emt", "imc", "rmc", "fmc", "lfmc", "mc_cable", "wireway"},
        "pvc": {"pvc", "rtrc", "nm_cable", "ser_cable", "direct_burial"},
        "aluminum": {"aluminum"},
    }
    columns = {raceway: conduit_of(raceway) for raceway in get_args(ConduitType)}
    assert columns == {each: column for column, kinds in by_column.items() for each in kinds}


@pytest.mark.parametrize(
    ("size", "material", "conduit", "c"),
    [
        ("12", "copper", "steel", 617),
        ("6", "copper", "pvc", 2_430),
        ("3/0", "copper", "aluminum", 13_923),
        ("500", "copper", "steel", 22_185),
        ("500", "aluminum", "pvc", 21_391),
    ],
)
def test_c_values_are_the_makers(size: str, material: Any, conduit: Any, c: float) -> None:
    assert c_figure(size, material, conduit).value == c


@given(st.sampled_from(IN_TABLE_9), st.sampled_from(IN_TABLE_9))
def test_c_grows_with_the_conductor_and_copper_and_without_steel(one: str, other: str) -> None:
    small, large = sorted((one, other), key=SIZES.index)
    for material in ("copper", "aluminum"):
        for conduit in ("pvc", "steel"):
            assert (
                c_figure(small, material, conduit).value <= c_figure(large, material, conduit).value
            )  # type: ignore[arg-type]
        assert c_figure(large, material, "steel").value <= c_figure(large, material, "pvc").value  # type: ignore[arg-type]
    assert c_figure(large, "aluminum", "pvc").value < c_figure(large, "copper", "pvc").value


def test_three_c_values_are_not_verified_and_say_so() -> None:
    unsure = [
        size
        for size in IN_TABLE_9
        for material in MATERIALS
        for conduit in CONDUITS
        if c_figure(size, material, conduit).note
    ]
    assert sorted(set(unsure)) == ["1000", "600", "750"]
    note = c_figure("750", "aluminum", "pvc").note
    assert note is not None and note.say("en") and note.say("he")
    assert c_figure("750", "aluminum", "steel").note is None


def test_a_size_without_a_c_value_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="AWG 14 to 1000 kcmil"):
        c_figure("1250", "copper", "steel")
