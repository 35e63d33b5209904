"""Whether conductors are large enough: Table 310.16, what corrects it and what limits it.

Sources: NEC 110.14(C), 210.19(A)(1), 210.20(A), 240.4(B) to (G), 240.6(A), 310.3(A), 310.10(G),
310.15(B) and (C), 310.16, 430.22, 430.52, 440.22, 440.32 (numbers of the 2023 edition).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from packs.electrical.nec.ampacity import (
    Rating,
    adjustment_factor,
    ampacity,
    small_conductor_limit,
    temperature_factor,
)
from packs.electrical.nec.overcurrent import (
    STANDARD_RATINGS,
    largest_allowed,
    next_standard,
)
from packs.electrical.nec.sizes import SIZES, Material, Size, rank
from rollcall.core.errors import InvalidArgument

Rule = Literal["general", "motor", "cooling"]
"""What protects the circuit: 240.4 in general; 430.52 for motors and 440.22 for air conditioners
let the device be larger, since the overload protection is theirs."""

Problem = Literal[
    "too_small", "too_hot", "terminals", "protection", "breaker_too_small", "breaker_too_large",
    "parallel", "minimum_size",
]  # fmt: skip

CONTINUOUS = 1.25
SMALLEST: dict[Material, Size] = {"copper": "14", "aluminum": "12"}
SMALLEST_IN_PARALLEL: Size = "1/0"
MAX_SETS = 6


@dataclass(frozen=True, slots=True)
class Installation:
    """How conductors are installed.

    Attributes:
        insulation_c: The rating whose column is corrected (90 for THHN, and for NM-B by 334.80).
        terminal_c: The column that may not be exceeded at the terminals (110.14(C)).
        ambient_c: Around the conductors.
        current_carrying: How many carry current in the same raceway or cable.
        sets: In parallel for each line.
    """

    material: Material
    insulation_c: Rating
    terminal_c: Rating
    ambient_c: float = 30.0
    current_carrying: int = 3
    sets: int = 1


@dataclass(frozen=True, slots=True)
class Need:
    """What the conductors must carry, and what protects them.

    Attributes:
        load_amps: What flows.
        required_amps: With 125 % of the continuous part, or of the largest motor.
        breaker_amps: The device; None to take the smallest that may serve.
        rounds_up: Whether 240.4(B) allows the next standard size: not for several receptacles.
        largest_breaker_amps: Of 430.52 or 440.22, where those rules protect the circuit.
        usual_breaker_amps: The one that they lead to first; else the smallest for what is required.
        chosen_alike: Whether conductors that are chosen are protected by 240.4, though those that
            are there need not be: of the motor too little is known to choose smaller ones.
        protects: Whether the device has to protect them so, whatever the rule.
    """

    load_amps: float
    required_amps: float
    breaker_amps: int | None = None
    rule: Rule = "general"
    rounds_up: bool = True
    largest_breaker_amps: int | None = None
    usual_breaker_amps: int | None = None
    chosen_alike: bool = False
    protects: bool = False

    @property
    def is_by_240_4(self) -> bool:
        """Whether the device has to protect the conductors by 240.4(A) to (D)."""
        return self.rule == "general" or self.protects

    @property
    def device_amps(self) -> int:
        """The device, or the one that would be chosen."""
        return self.breaker_amps or self.usual_breaker_amps or next_standard(self.required_amps)


@dataclass(frozen=True, slots=True)
class Ampacity:
    """The ampacity of an installation, A, step by step; all sets together from `corrected_amps` on.

    Attributes:
        table_amps: Of Table 310.16, one conductor.
        corrected_amps: After correction and adjustment.
        terminal_amps: What the terminals allow.
        amps: The smaller of both.
    """

    table_amps: float
    temperature_factor: float
    adjustment_factor: float
    corrected_amps: float
    terminal_amps: float
    amps: float


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a size.

    Attributes:
        largest_breaker_amps: The largest device that may protect it, under the need's rule.
        small_conductor_amps: The limit of 240.4(D), where it has one and the rule heeds it.
    """

    size: Size
    ampacity: Ampacity
    largest_breaker_amps: int
    small_conductor_amps: int | None
    problems: tuple[Problem, ...]

    @property
    def compliant(self) -> bool:
        return not self.problems


def ampacity_of(size: Size, how: Installation) -> Ampacity:
    """The ampacity of a size as it is installed.

    Raises:
        InvalidArgument: Table 310.16 has no such conductor, or it is too hot for the insulation.
    """
    table = ampacity(size, how.material, how.insulation_c)
    by_temperature = temperature_factor(how.ambient_c, how.insulation_c)
    by_number = adjustment_factor(how.current_carrying)
    corrected = round(table * by_temperature * by_number * how.sets, 6)
    terminal = ampacity(size, how.material, min(how.terminal_c, how.insulation_c)) * how.sets
    return Ampacity(table, by_temperature, by_number, corrected, terminal, min(corrected, terminal))


def check(size: Size, how: Installation, need: Need) -> Checked:
    """Hold a size against all rules.

    Raises:
        InvalidArgument: Table 310.16 has no such conductor, or it is too hot for the insulation.
    """
    found = ampacity_of(size, how)
    limit = small_conductor_limit(size, how.material) if need.is_by_240_4 else None
    most = largest_breaker(found.amps, need, limit)
    problems = tuple(_problems(size, how, need, found, most))
    return Checked(size, found, most, limit, problems)


def largest_breaker(amps: float, need: Need, small_conductor_amps: int | None) -> int:
    """The largest device that may protect conductors of an ampacity, A; 0 if none may."""
    if not need.is_by_240_4:
        return need.largest_breaker_amps or largest_allowed(amps)
    if need.rounds_up:
        most = largest_allowed(amps)
    else:
        most = max((rating for rating in STANDARD_RATINGS if rating <= amps), default=0)
    return most if small_conductor_amps is None else min(most, small_conductor_amps)


def smallest_size(how: Installation, need: Need) -> Size | None:
    """The smallest size without a problem, as many in parallel as there are; None if there is
    none."""
    if need.chosen_alike and need.device_amps <= (need.usual_breaker_amps or 0):
        need = replace(need, protects=True)
    for size in _sizes(how.material):
        if check(size, how, need).compliant:
            return size
    return None


def smallest_parallel(how: Installation, need: Need) -> tuple[int, Size] | None:
    """The fewest conductors in parallel that will do, and their size; None if `MAX_SETS` will
    not."""
    for sets in range(1, MAX_SETS + 1):
        if size := smallest_size(replace(how, sets=sets), need):
            return sets, size
    return None


def default_terminal(device_amps: float) -> Rating:
    """The column of 110.14(C)(1) where nothing is marked: 60 °C up to 100 A, 75 °C above."""
    return 60 if device_amps <= 100 else 75


def _problems(
    size: Size, how: Installation, need: Need, found: Ampacity, most: int
) -> Iterator[Problem]:
    if rank(size) < rank(SMALLEST[how.material]):
        yield "minimum_size"
    if how.sets > 1 and rank(size) < rank(SMALLEST_IN_PARALLEL):
        yield "parallel"
    if found.terminal_amps < need.required_amps:
        yield "too_small" if found.table_amps * how.sets < need.required_amps else "terminals"
    if found.corrected_amps < _after_correction(need):
        yield "too_hot"
    if need.is_by_240_4 and need.device_amps > most:
        yield "protection"
    yield from _breaker_problems(need)


def _after_correction(need: Need) -> float:
    """The current that corrected ampacity must reach: the load itself (210.19(A)(1)), but for
    motors and air conditioners what 430.22 and 440.32 require."""
    return need.load_amps if need.rule == "general" else need.required_amps


def _breaker_problems(need: Need) -> Iterator[Problem]:
    if need.breaker_amps is None:
        return
    least = need.required_amps if need.rule == "general" else need.load_amps
    if need.breaker_amps < least:
        yield "breaker_too_small"
    if need.largest_breaker_amps is not None and need.breaker_amps > need.largest_breaker_amps:
        yield "breaker_too_large"


@cache
def _sizes(material: Material) -> tuple[Size, ...]:
    return tuple(size for size in SIZES[SIZES.index(SMALLEST[material]) :] if _has(size, material))


def _has(size: Size, material: Material) -> bool:
    try:
        ampacity(size, material, 75)
    except InvalidArgument:
        return False
    return True
