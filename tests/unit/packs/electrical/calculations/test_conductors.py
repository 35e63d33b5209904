"""Ampacity and what it must reach, against published examples and as properties."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from packs.electrical.calculations.circuit_load import Load
from packs.electrical.calculations.conductors import (
    Installation,
    ampacity_of,
    check_size,
    default_terminal,
    grounding_size,
    size_conductors,
    smallest_parallel,
    smallest_size,
)
from packs.electrical.calculations.requirements import Requirement, requirement_of
from packs.electrical.nec.conductors import SIZES, Material, Rating, rank
from packs.electrical.projects.records import LoadType, Motor
from rollcall.core.errors import InvalidArgument

COPPER = Installation("copper", 90, 60)
MATERIALS: tuple[Material, ...] = get_args(Material)
RATINGS: tuple[Rating, ...] = get_args(Rating)
LARGE = SIZES[SIZES.index("12") :]


def motor(hp: str, voltage: float, phases: int) -> Motor:
    return Motor.model_validate(
        {
            "id": f"m{hp}".replace("/", "-"),
            "name": f"{hp} hp",
            "hp": hp,
            "voltage": voltage,
            "phases": phases,
            "panelId": "p",
            "circuitNumber": 1,
            "kind": "single_phase" if phases == 1 else "squirrel_cage",
        }
    )


def of_motors(*motors: Motor, breaker: int | None = None) -> Requirement:
    load = Load(1, motors[0].voltage, motors[0].phases, "table", "motor", motors)
    return requirement_of(load, breaker_amps=breaker)


def of_load(amps: float, kind: LoadType = "other", **given: object) -> Requirement:
    return requirement_of(Load(amps, 240, 1, "project", kind), **given)  # type: ignore[arg-type]


# ---- Examples worked by others ----


def test_correction_for_heat() -> None:
    """Stallcup's Education, Applying Correction Factors: 10 AWG THHN copper at 120 °F is good for
    40 A x 82 % = 32.8 A."""
    found = ampacity_of("10", Installation("copper", 90, 90, ambient_c=(120 - 32) / 1.8))
    assert found.corrected_amps == pytest.approx(32.8)


def test_conductors_and_breaker_of_a_small_motor() -> None:
    """EC&M, Motor Calculations - Part 2: 1 hp, 115 V: 16 A x 1.25 = 20 A, 12 AWG at 60 °C; 16 A x
    2.5 = 40 A, a 40 A breaker."""
    required = of_motors(motor("1", 115, 1))
    assert required.required_amps == 20
    assert required.largest_breaker_amps == 40
    assert smallest_size(COPPER, required) == "12"


def test_conductors_and_breaker_of_a_three_phase_motor() -> None:
    """Mike Holt's forum, Motor branch circuit: 7-1/2 hp, 230 V, three phases: 22 A x 1.25 =
    27.5 A, 10 AWG at 60 °C; 22 A x 2.5 = 55 A, next size up 60 A."""
    required = of_motors(motor("7-1/2", 230, 3))
    assert required.required_amps == 27.5
    assert required.largest_breaker_amps == 60
    assert smallest_size(COPPER, required) == "10"


def test_a_motors_breaker_may_be_far_above_the_conductors_ampacity() -> None:
    """Electrician Math, Motor overcurrent protection: 5 hp, 230 V, one phase: 28 A x 1.25 = 35 A,
    10 AWG at 75 °C, and a breaker of 70 A."""
    need = of_motors(motor("5", 230, 1), breaker=70)
    assert check_size("10", Installation("copper", 75, 75), need).compliant
    over = replace(need, breaker_amps=80)
    assert check_size("10", Installation("copper", 75, 75), over).problems == ("breaker_too_large",)


# ---- The rules one by one ----


def test_the_terminals_limit_what_the_insulation_would_allow() -> None:
    found = ampacity_of("6", COPPER)
    assert (found.table_amps, found.terminal_amps, found.amps) == (75, 55, 55)
    assert check_size("6", COPPER, of_load(60)).problems[0] == "terminals"


def test_derating_starts_from_the_insulations_column() -> None:
    crowded = Installation("copper", 90, 75, current_carrying=9)
    assert ampacity_of("12", crowded).amps == 30 * 0.7
    assert "too_hot" in check_size("12", crowded, Requirement(22, 22)).problems


def test_terminals_count_60_up_to_100_amps_and_75_above() -> None:
    assert [default_terminal(amps) for amps in (15, 100, 101, 400)] == [60, 60, 75, 75]


@pytest.mark.parametrize(("size", "most"), [("14", 15), ("12", 20), ("10", 30)])
def test_small_conductors_have_small_breakers(size: str, most: int) -> None:
    marked = Installation("copper", 90, 75)
    assert check_size(size, marked, Requirement(10, 10, most)).compliant
    larger = check_size(size, marked, Requirement(10, 10, most + 5))
    assert (larger.problems, larger.largest_breaker_amps) == (("protection",), most)


def test_the_next_standard_size_protects_but_not_several_receptacles() -> None:
    need = Requirement(50, 50, 60)
    marked = Installation("copper", 75, 60)
    assert check_size("6", marked, need).compliant  # 55 A, next standard size 60 A
    assert check_size("6", marked, replace(need, rounds_up=False)).problems == ("protection",)


def test_continuous_loads_take_125_percent_of_conductors_and_breaker() -> None:
    need = of_load(16, continuous=True, breaker_amps=20)
    assert need.required_amps == 20
    assert check_size("12", COPPER, need).compliant
    assert check_size("12", COPPER, of_load(17, continuous=True, breaker_amps=20)).problems == (
        "terminals",
        "breaker_too_small",
    )


@pytest.mark.parametrize("kind", ["ev_charger", "water_heater", "space_heating"])
def test_some_loads_always_count_as_continuous(kind: LoadType) -> None:
    assert of_load(40, kind).required_amps == 50


def test_air_conditioning_has_a_breaker_of_up_to_225_percent() -> None:
    need = of_load(20, "air_conditioning", breaker_amps=45)
    assert (need.required_amps, need.largest_breaker_amps) == (25, 45)
    assert check_size("10", COPPER, need).compliant
    assert "breaker_too_large" in check_size("10", COPPER, replace(need, breaker_amps=50)).problems


def test_several_motors_count_the_largest_at_125_percent_and_its_breaker_with_the_others() -> None:
    big, small = motor("5", 230, 1), motor("1", 230, 1)
    assert of_motors(big, small) == of_motors(small, big)
    need = of_motors(big, small)
    assert need.required_amps == pytest.approx(28 * 1.25 + 8)
    assert need.largest_breaker_amps == 70  # 70 + 8, the standard rating below


def test_only_large_conductors_run_in_parallel() -> None:
    two = replace(COPPER, sets=2)
    assert "parallel" in check_size("2", two, Requirement(100, 100)).problems
    assert check_size("1/0", two, Requirement(100, 100)).compliant


def test_nothing_below_14_copper_or_12_aluminum_is_proposed() -> None:
    assert smallest_size(COPPER, Requirement(1, 1)) == "14"
    assert smallest_size(replace(COPPER, material="aluminum"), Requirement(1, 1)) == "12"


def test_what_no_single_conductor_carries_runs_in_parallel() -> None:
    how, need = Installation("copper", 75, 75), Requirement(1000, 1000)
    assert smallest_size(how, need) is None
    assert smallest_parallel(how, need) == (3, "400")  # 2 x 900 kcmil is no common size


def test_a_wrong_breaker_is_not_mended_by_a_larger_wire() -> None:
    need = of_load(30, breaker_amps=20)
    found = size_conductors("10", COPPER, need)
    assert found is not None
    assert found.checked.problems == ("breaker_too_small",)
    assert (found.breaker_amps, found.smallest) == (30, "10")


def test_larger_conductors_have_a_larger_equipment_ground() -> None:
    assert grounding_size(40, "8", "8", "copper", 2023) == "10"
    assert grounding_size(40, "6", "8", "copper", 2023) == "8"  # 10380 x 26240 / 16510 = 16497
    assert grounding_size(20, "12", "12", "copper", 2023) == "12"
    assert grounding_size(60, "12", None, "copper", 2023) == "12"  # 250.122(A), not 10 AWG
    assert grounding_size(1200, "1/0", None, "copper", 2023, sets=8) == "3/0"  # 250.122(F)


# ---- Properties ----


@st.composite
def installations(draw: st.DrawFn) -> Installation:
    insulation: Rating = draw(st.sampled_from(RATINGS))
    return Installation(
        material=draw(st.sampled_from(MATERIALS)),
        insulation_c=insulation,
        terminal_c=draw(st.sampled_from(RATINGS)),
        ambient_c=draw(st.floats(-10, 55)),
        current_carrying=draw(st.integers(1, 60)),
    )


@given(installations(), st.sampled_from(LARGE))
def test_a_larger_wire_never_carries_less(how: Installation, size: str) -> None:
    amps = [ampacity_of(each, how).amps for each in LARGE]
    assert amps == sorted(amps)


@given(installations(), st.sampled_from(LARGE), st.floats(0, 20), st.integers(0, 20))
def test_more_heat_or_company_never_raises_ampacity(
    how: Installation, size: str, warmer: float, more: int
) -> None:
    worse = replace(
        how, ambient_c=how.ambient_c + warmer, current_carrying=how.current_carrying + more
    )
    try:
        left = ampacity_of(size, worse).corrected_amps
    except InvalidArgument:  # too hot for the insulation
        assume(False)
        return
    assert left <= ampacity_of(size, how).corrected_amps


@given(installations(), st.floats(1, 600), st.floats(0, 100))
def test_more_load_never_needs_a_smaller_wire(how: Installation, amps: float, more: float) -> None:
    less, larger = (
        smallest_size(how, Requirement(amps, amps)),
        smallest_size(how, Requirement(amps + more, amps + more)),
    )
    if larger is not None:
        assert less is not None
        assert rank(less) <= rank(larger)


@given(installations(), st.floats(1, 600))
def test_the_smallest_size_complies_and_none_below_it_does(how: Installation, amps: float) -> None:
    need = Requirement(amps, amps * 1.25)
    found = smallest_size(how, need)
    for size in LARGE:
        if found is not None and rank(size) < rank(found):
            assert not check_size(size, how, need).compliant
    assert found is None or check_size(found, how, need).compliant


# ---- Refusals ----


def test_heat_above_the_insulation_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="60 °C"):
        ampacity_of("12", Installation("copper", 60, 60, ambient_c=60))


def test_a_size_that_the_table_has_not_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"310\.16"):
        check_size("14", replace(COPPER, material="aluminum"), Requirement(1, 1))
