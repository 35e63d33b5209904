"""Tables 250.122, 250.66 and 250.102(C)(1)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.electrical.nec.conductors import SIZES, rank
from packs.electrical.nec.grounding import (
    bonding_jumper,
    enlarged_grounding_conductor,
    equipment_grounding_conductor,
    grounding_electrode_conductor,
)
from rollcall.core.errors import InvalidArgument
from tests.support.for_every import for_every

materials = st.sampled_from(["copper", "aluminum"])
sizes = st.sampled_from(SIZES[2:])


@for_every(
    ("amps", "copper", "aluminum"),
    [
        (15, "14", "12"),
        (20, "12", "10"),
        (30, "10", "8"),
        (60, "10", "8"),
        (61, "8", "6"),
        (100, "8", "6"),
        (200, "6", "4"),
        (225, "4", "2"),
        (400, "3", "1"),
        (1200, "3/0", "250"),
        (4000, "500", "750"),
    ],
)
def test_the_equipment_grounding_conductor_goes_by_the_device(
    amps: float, copper: str, aluminum: str
) -> None:
    assert equipment_grounding_conductor(amps, "copper") == copper
    assert equipment_grounding_conductor(amps, "aluminum") == aluminum


def test_it_grows_with_the_conductors_up_to_their_own_size() -> None:
    # 250.122(B): 41,740 cmil (4 AWG) x 1.4 is 58,436 cmil, 2 AWG; (A): never above the conductors.
    assert enlarged_grounding_conductor("4", needed="250", installed="350") == "2"
    assert enlarged_grounding_conductor("1/0", needed="12", installed="1500") == "1500"


def test_large_aluminum_was_1200_kcmil_in_2017() -> None:
    assert [
        equipment_grounding_conductor(6000, "aluminum", year) for year in (2017, 2020, 2023)
    ] == [
        "1200",
        "1250",
        "1250",
    ]
    assert equipment_grounding_conductor(6000, "copper", 2017) == "800"


@pytest.mark.parametrize("amps", [0, -5, 6001, float("nan"), float("inf")])
def test_devices_outside_the_table_are_refused(amps: float) -> None:
    with pytest.raises(InvalidArgument, match="up to 6000 A") as refused:
        equipment_grounding_conductor(amps, "copper")
    assert refused.value.field == "ocpdAmps"


def test_it_grows_with_enlarged_circuit_conductors() -> None:
    # 40 A: 10 AWG; 8 AWG enlarged to 4 AWG is 2.53 times the area, 26,243 of 26,240: 4 AWG.
    assert enlarged_grounding_conductor("10", needed="8", installed="4") == "4"
    assert enlarged_grounding_conductor("10", needed="8", installed="6") == "8"
    assert enlarged_grounding_conductor("10", needed="8", installed="8") == "10"


@for_every(
    ("service", "of", "sets", "copper", "aluminum"),
    [
        ("2", "copper", 1, "8", "6"),
        ("1/0", "copper", 1, "6", "4"),
        ("2/0", "copper", 1, "4", "2"),
        ("4/0", "copper", 1, "2", "1/0"),
        ("500", "copper", 1, "1/0", "3/0"),
        ("600", "copper", 1, "1/0", "3/0"),
        ("500", "copper", 2, "2/0", "4/0"),  # 1000 kcmil together
        ("600", "copper", 2, "3/0", "250"),
        ("1/0", "aluminum", 1, "8", "6"),
        ("4/0", "aluminum", 1, "4", "2"),
        ("250", "aluminum", 1, "4", "2"),
        ("900", "aluminum", 2, "3/0", "250"),
    ],
)
def test_the_electrode_conductor_goes_by_the_service(
    service: str, of: Any, sets: int, copper: str, aluminum: str
) -> None:
    assert grounding_electrode_conductor(service, of, "copper", sets=sets) == copper
    assert grounding_electrode_conductor(service, of, "aluminum", sets=sets) == aluminum


def test_electrodes_limit_what_is_required() -> None:
    def needed(**given: Any) -> str:
        return grounding_electrode_conductor("500", "copper", "copper", **given)

    assert needed(electrode="water_pipe") == "1/0"
    assert needed(electrode="rod") == needed(electrode="plate") == "6"
    assert needed(electrode="concrete_encased") == "4"
    assert needed(electrode="ring") == "1/0"
    assert grounding_electrode_conductor("500", "copper", "aluminum", electrode="rod") == "4"
    # A limit never asks for more than the table.
    assert grounding_electrode_conductor("2", "copper", "copper", electrode="rod") == "8"


def test_aluminum_to_a_concrete_encased_electrode_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="copper"):
        grounding_electrode_conductor("500", "copper", "aluminum", electrode="concrete_encased")


def test_a_service_has_a_set_at_least() -> None:
    with pytest.raises(InvalidArgument, match="at least 1") as refused:
        grounding_electrode_conductor("500", "copper", "copper", sets=0)
    assert refused.value.field == "sets"


@given(sizes, sizes, materials, materials, st.integers(1, 6))
def test_a_larger_service_never_has_a_smaller_electrode_conductor(
    one: str, other: str, of: Any, material: Any, sets: int
) -> None:
    small, large = sorted((one, other), key=rank)
    of_small = grounding_electrode_conductor(small, of, material, sets=sets)
    of_large = grounding_electrode_conductor(large, of, material, sets=sets)
    assert rank(of_small) <= rank(of_large)


def test_the_bonding_jumper_is_an_eighth_above_the_table() -> None:
    assert bonding_jumper("4/0", "copper", "copper") == "2"
    assert bonding_jumper("500", "copper", "copper", sets=2) == "2/0"
    # Four sets of 500 kcmil: 2000 kcmil, an eighth is 250 kcmil.
    assert bonding_jumper("500", "copper", "copper", sets=4) == "250"
    with pytest.raises(InvalidArgument, match="equal ampacity"):
        bonding_jumper("500", "copper", "aluminum", sets=4)
