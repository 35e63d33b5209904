"""Sizing of conductors: the ampacity of Table 310.16, its corrections and its limits.

Sources: NEC 110.14(C), 210.19(A)(1), 210.20(A), 240.4(B) to (G), 240.6(A), 250.122, 310.3(A),
310.10(G), 310.15(B) and (C), 310.16, 334.80, 430.22, 430.52, 440.22, 440.32 (numbers of the 2023
edition).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from packs.electrical.calculations.circuit_load import Load, load_of
from packs.electrical.calculations.requirements import Requirement, requirement_of
from packs.electrical.nec.conductors import (
    SIZES,
    Material,
    Rating,
    Size,
    adjustment_factor,
    ampacity,
    insulation_rating,
    rank,
    size_text,
    small_conductor_limit,
    temperature_factor,
)
from packs.electrical.nec.editions import DEFAULT, Edition, article
from packs.electrical.nec.grounding import (
    enlarged_grounding_conductor,
    equipment_grounding_conductor,
)
from packs.electrical.nec.overcurrent import NEXT_SIZE_UP_TO, largest_allowed, standard_not_above
from packs.electrical.projects.records import PanelCircuit, Project, Wiring
from packs.electrical.results import Basis
from packs.electrical.wording import TEXTS, amps, invalid
from rollcall.core.errors import InvalidArgument
from rollcall.core.texts import Text, isolated

Problem = Literal[
    "too_small", "too_hot", "terminals", "protection", "breaker_too_small", "breaker_too_large",
    "parallel", "minimum_size",
]  # fmt: skip

SMALLEST: dict[Material, Size] = {"copper": "14", "aluminum": "12"}
SMALLEST_IN_PARALLEL: Size = "1/0"
MAX_SETS = 6
LARGEST_COMMON: Size = "600"
"""Above this size, kcmil, conductors are commonly run in parallel: larger ones are hard to bend."""
STANDARD_AMBIENT_C = 30.0
"""The ambient temperature of Table 310.16; it is for up to three current-carrying conductors."""

STANDARD_CONDUCTORS = 3


class Installation(Struct, frozen=True):
    """How conductors are installed.

    Attributes:
        insulation_c: The insulation's rating, whose column is corrected (90 for THHN, and for NM-B
            by 334.80).
        terminal_c: The terminals' rating, whose column is not exceeded (110.14(C)).
        ambient_c: The temperature around the conductors.
        current_carrying: The current-carrying conductors in the same raceway or cable.
        sets: The number of conductors in parallel for each line.
    """

    material: Material
    insulation_c: Rating
    terminal_c: Rating
    ambient_c: float = STANDARD_AMBIENT_C
    current_carrying: int = STANDARD_CONDUCTORS
    sets: int = 1


class Ampacity(Struct, frozen=True):
    """The ampacity of an installation, A, step by step; all sets together from `corrected_amps` on.

    Attributes:
        table_amps: The figure of Table 310.16, for one conductor.
        corrected_amps: After correction and adjustment.
        terminal_amps: The limit of the terminals.
        amps: The smaller of the two.
    """

    table_amps: float
    temperature_factor: float
    adjustment_factor: float
    corrected_amps: float
    terminal_amps: float
    amps: float


class ConductorCheck(Struct, frozen=True):
    """The check of a size by all rules.

    Attributes:
        largest_breaker_amps: The largest device that may protect it, by the requirement's rule.
        small_conductor_amps: The limit of 240.4(D), where it applies.
    """

    size: Size
    ampacity: Ampacity
    largest_breaker_amps: int
    small_conductor_amps: int | None
    problems: tuple[Problem, ...]

    @property
    def compliant(self) -> bool:
        return not self.problems


def rating_columns(
    insulation: str, *, wet: bool = False, in_nm_cable: bool = False
) -> tuple[Rating, Rating]:
    """Return the columns of Table 310.16 for an insulation: the one that is corrected, and the one
    that is not exceeded. They differ for NM-B cable alone, 90 and 60 °C (334.80).

    Args:
        in_nm_cable: Whether the conductors are in NM cable, whatever their own insulation.

    Raises:
        InvalidArgument: The type is not known, or not for wet places.
    """
    rating = insulation_rating(insulation, wet=wet)
    if in_nm_cable or insulation.strip().upper() in ("NM-B", "NMC-B"):
        return 90, 60
    return rating, rating


def ampacity_of(size: Size, how: Installation) -> Ampacity:
    """Calculate the ampacity of a size in an installation.

    Raises:
        InvalidArgument: Table 310.16 has no such conductor, or it is too hot for the insulation.
    """
    table = ampacity(size, how.material, how.insulation_c)
    by_temperature = temperature_factor(how.ambient_c, how.insulation_c)
    by_number = adjustment_factor(how.current_carrying)
    corrected = round(table * by_temperature * by_number * how.sets, 6)
    terminal = ampacity(size, how.material, min(how.terminal_c, how.insulation_c)) * how.sets
    return Ampacity(table, by_temperature, by_number, corrected, terminal, min(corrected, terminal))


def is_nm(wiring: Wiring) -> bool:
    """Return whether conductors are nonmetallic-sheathed cable (Article 334)."""
    return wiring.conduit_type == "nm_cable" or (wiring.insulation or "").upper().startswith("NM")


def installation(wiring: Wiring, device_amps: float) -> Installation:
    """Return how recorded conductors are installed behind a device of a rating, A.

    Unmarked terminations have the rating of 110.14(C)(1). Without a recorded ambient temperature or
    number of conductors, those of Table 310.16 count: 30 °C and three. Insulation that is not
    recorded, or has a marking that no table has, is as good as the terminations. NM cable is
    corrected from 90 °C and used at 60 °C (334.80), and buried conductors are in a wet place.
    """
    terminal = wiring.terminal_rating_c or default_terminal(device_amps)
    insulation: Rating = 90 if is_nm(wiring) else terminal
    if wiring.insulation is not None and not is_nm(wiring):
        with suppress(InvalidArgument):  # an unknown marking
            wet = wiring.conduit_type == "direct_burial"
            insulation = insulation_rating(wiring.insulation, wet=wet)
    return Installation(
        material=wiring.conductor_material,
        insulation_c=insulation,
        terminal_c=60 if is_nm(wiring) else terminal,
        ambient_c=STANDARD_AMBIENT_C if wiring.ambient_c is None else wiring.ambient_c,
        current_carrying=wiring.current_carrying_conductors or STANDARD_CONDUCTORS,
        sets=wiring.conductor_sets,
    )


def check_size(size: Size, how: Installation, need: Requirement) -> ConductorCheck:
    """Check a size against all rules.

    Raises:
        InvalidArgument: Table 310.16 has no such conductor, or it is too hot for the insulation.
    """
    allowed = ampacity_of(size, how)
    limit = small_conductor_limit(size, how.material) if need.is_by_240_4 else None
    most = largest_breaker(allowed.amps, need, limit)
    problems = tuple(_problems(size, how, need, allowed, most))
    return ConductorCheck(size, allowed, most, limit, problems)


def largest_breaker(amps: float, need: Requirement, small_conductor_amps: int | None) -> int:
    """The largest device that may protect conductors of an ampacity, A; 0 if none may."""
    if not need.is_by_240_4:
        return need.largest_breaker_amps or largest_allowed(amps)
    most = largest_allowed(amps) if need.rounds_up else standard_not_above(amps)
    return most if small_conductor_amps is None else min(most, small_conductor_amps)


def smallest_size(how: Installation, need: Requirement) -> Size | None:
    """Find the smallest size that complies, with as many sets in parallel; None if none does."""
    if need.new_by_240_4 and need.device_amps <= (need.usual_breaker_amps or 0):
        need = replace(need, by_240_4=True)
    for size in table_sizes(how.material):
        if check_size(size, how, need).compliant:
            return size
    return None


def smallest_parallel(how: Installation, need: Requirement) -> tuple[int, Size] | None:
    """Find the fewest sets in parallel of a common size that comply, else the fewest of any size,
    and their size; None if `MAX_SETS` do not comply."""
    complying = [
        (sets, size)
        for sets in range(1, MAX_SETS + 1)
        if (size := smallest_size(replace(how, sets=sets), need))
    ]
    return next(
        (each for each in complying if is_common(each[1])), complying[0] if complying else None
    )


def is_common(size: Size) -> bool:
    """Return whether conductors of a size are commonly run."""
    return rank(size) <= rank(LARGEST_COMMON)


def default_terminal(device_amps: float) -> Rating:
    """The terminals' rating without a marking (110.14(C)(1)): 60 °C up to 100 A, 75 °C above."""
    return 60 if device_amps <= 100 else 75


def _problems(
    size: Size, how: Installation, need: Requirement, allowed: Ampacity, most: int
) -> Iterator[Problem]:
    if rank(size) < rank(SMALLEST[how.material]):
        yield "minimum_size"
    if how.sets > 1 and rank(size) < rank(SMALLEST_IN_PARALLEL):
        yield "parallel"
    if allowed.terminal_amps < need.required_amps:
        yield "too_small" if allowed.table_amps * how.sets < need.required_amps else "terminals"
    # The corrected ampacity is compared with the load itself (210.19(A)(1)); that of motors and air
    # conditioners with the current that 430.22 and 440.32 require.
    is_general = need.rule == "general"
    if allowed.corrected_amps < (need.load_amps if is_general else need.required_amps):
        yield "too_hot"
    if need.is_by_240_4 and need.device_amps > most:
        yield "protection"
    if need.breaker_amps is None:
        return
    if need.breaker_amps < (need.required_amps if is_general else need.load_amps):
        yield "breaker_too_small"
    if need.largest_breaker_amps is not None and need.breaker_amps > need.largest_breaker_amps:
        yield "breaker_too_large"


@cache
def table_sizes(material: Material) -> tuple[Size, ...]:
    """The sizes of Table 310.16 for a material, ascending."""
    sizes = []
    for size in SIZES[SIZES.index(SMALLEST[material]) :]:
        try:
            ampacity(size, material, 75)
        except InvalidArgument:
            continue
        sizes.append(size)
    return tuple(sizes)


class Sizing(Struct, frozen=True):
    """A check of conductors, and sizes that would comply.

    Attributes:
        checked: The check of the given size or, without one, of the smallest that complies.
        is_proposed: Whether it is the latter.
        breaker_amps: The circuit's device or, where that does not suit the load, a suitable one.
        smallest: The smallest size that complies, with as many sets in parallel.
        parallel: The fewest sets in parallel that comply and their size, where no single
            conductor of a common size does.
    """

    checked: ConductorCheck
    is_proposed: bool
    breaker_amps: int
    smallest: Size | None
    parallel: tuple[int, Size] | None


def size_conductors(size: Size | None, how: Installation, need: Requirement) -> Sizing | None:
    """Check a size, or find one. None where no size is given, and none complies or only sets in
    parallel are of a common size.

    Raises:
        InvalidArgument: Table 310.16 has no such conductor, or it is too hot for the insulation.
    """
    suitable = need.with_suitable_device
    smallest = smallest_size(how, suitable)
    parallel = None
    if smallest is None or not is_common(smallest):
        parallel = smallest_parallel(how, suitable)
    if parallel is not None and (parallel[0] == how.sets or not is_common(parallel[1])):
        parallel = None if smallest else parallel
    if size is None and (smallest is None or parallel is not None):
        return None
    checked = check_size(size or smallest or "", how, need)
    return Sizing(checked, size is None, suitable.device_amps, smallest, parallel)


def grounding_size(
    breaker_amps: int,
    installed: Size,
    needed: Size | None,
    material: Material,
    edition: Edition,
    sets: int = 1,
) -> Size:
    """The size of the equipment grounding conductor by Table 250.122.

    It grows in proportion where the conductors are larger than needed (250.122(B)), and is never
    larger than they are (250.122(A)); of sets in parallel each has a full-sized one (250.122(F)).
    """
    size = equipment_grounding_conductor(breaker_amps, material, edition)
    if needed is not None:
        size = enlarged_grounding_conductor(size, needed=needed, installed=installed)
    return size if sets > 1 or rank(size) <= rank(installed) else installed


# ---- Conductors of a circuit, or of a question alone ----


class SizingCase(Struct, frozen=True):
    """Conductors to be checked.

    Attributes:
        size: None where none is recorded or given, so that one is found.
        limit_c: The column of Table 310.16 that the conductors may not exceed at any terminals.
        branch: The circuit; None where the question alone describes the conductors.
    """

    size: Size | None
    how: Installation
    limit_c: Rating
    need: Requirement
    edition: Edition
    basis: Basis
    load: Load
    branch: PanelCircuit | None = None

    @property
    def is_nm(self) -> bool:
        """Whether it is NM cable, which is corrected from 90 °C and limited to 60 °C (334.80)."""
        return self.limit_c < self.how.insulation_c

    @property
    def articles(self) -> tuple[str, ...]:
        """The sections of the requirement, by their numbers in the edition."""
        return tuple(article(each, self.edition) for each in self.need.articles)

    def size_conductors(self) -> Sizing | None:
        """Check the size, or find one."""
        return size_conductors(self.size, self.how, self.need)


def circuit_sizing(project: Project, branch: PanelCircuit) -> SizingCase:
    """Return the conductors of a circuit to check.

    Raises:
        InvalidArgument: It has no load, or a figure that no table has.
    """
    basis, circuit = Basis(), branch.circuit
    load = load_of(project, branch, basis)
    need = requirement_of(load, continuous=circuit.continuous, breaker_amps=circuit.breaker_amps)
    return _case(circuit, branch.stated, need, basis, project.edition, load, branch)


def stated_sizing(figures: Mapping[str, Any]) -> SizingCase:
    """Return the conductors to check that a question alone describes: general wiring, no motor.

    Args:
        figures: By the names of a circuit's fields, and `load_amps`; None for an unknown one.

    Raises:
        InvalidArgument: The load is not given.
    """
    stated = {name: value for name, value in figures.items() if value is not None}
    if "load_amps" not in stated:
        raise invalid(
            "loadAmps" if "conductor_size" in stated else "circuitNumber", "which_circuit_to_size"
        )
    basis = Basis()
    load = Load(stated["load_amps"], 0.0, 1, "argument")
    need = requirement_of(
        load, continuous=stated.get("continuous", False), breaker_amps=stated.get("breaker_amps")
    )
    if "continuous" not in stated:
        reason = TEXTS.text("calculations.conductors.not_continuous")
        basis.assume("continuous", False, None, reason)
    if "conductor_material" not in stated:
        reason = TEXTS.text("calculations.conductors.no_material")
        basis.assume("conductorMaterial", "copper", None, reason)
    wiring = Wiring().model_copy(update=stated)
    return _case(wiring, stated, need, basis, DEFAULT, load)


def _case(
    wiring: Wiring,
    stated: Collection[str],
    need: Requirement,
    basis: Basis,
    edition: Edition,
    load: Load,
    branch: PanelCircuit | None = None,
) -> SizingCase:
    material, insulation = wiring.conductor_material, wiring.insulation
    if not insulation and wiring.conduit_type == "nm_cable":
        reason = TEXTS.text("calculations.conductors.nm_cable")
        insulation = basis.assume("insulation", "NM-B", None, reason)
    elif not insulation:
        usual = "THHN/THWN-2" if material == "copper" else "XHHW-2"
        reason = TEXTS.text("calculations.conductors.usual_insulation")
        insulation = basis.assume("insulation", usual, None, reason)
    is_wet = wiring.conduit_type == "direct_burial"
    is_cable = wiring.conduit_type == "nm_cable"
    corrected_c, limit_c = rating_columns(insulation, wet=is_wet, in_nm_cable=is_cable)
    terminal = wiring.terminal_rating_c or default_terminal(need.device_amps)
    if not wiring.terminal_rating_c:
        reason = TEXTS.text("calculations.conductors.terminals")
        basis.assume("terminalRatingC", terminal, "°C", reason)
    ambient = wiring.ambient_c
    if ambient is None:
        reason = TEXTS.text("calculations.conductors.ambient")
        ambient = basis.assume("ambientC", STANDARD_AMBIENT_C, "°C", reason)
    number = wiring.current_carrying_conductors
    if number is None:
        reason = TEXTS.text("calculations.conductors.together")
        number = basis.assume("currentCarryingConductors", STANDARD_CONDUCTORS, None, reason)
    how = Installation(
        material=material,
        insulation_c=corrected_c,
        terminal_c=min(terminal, limit_c),
        ambient_c=float(ambient),
        current_carrying=int(number),
        sets=wiring.conductor_sets,
    )
    figures = (
        ("conductor_size", wiring.conductor_size, None),
        ("conductor_material", how.material, None),
        ("conductor_sets", how.sets, None),
        ("insulation", insulation, None),
        ("ambient_c", round(how.ambient_c, 2), "°C"),
        ("current_carrying_conductors", how.current_carrying, None),
        ("terminal_rating_c", how.terminal_c, "°C"),
        ("continuous", need.continuous, None),
        ("breaker_amps", need.breaker_amps, "A"),
    )
    basis.use("loadAmps", round(need.load_amps, 3), "A", load.input_source)
    basis.use_all(figures, stated, recorded=branch is not None)
    return SizingCase(wiring.conductor_size, how, limit_c, need, edition, basis, load, branch)


# ---- Problems ----


def article_of(problem: Problem, case: SizingCase, checked: ConductorCheck) -> str:
    """Return the section that a problem violates."""
    rule = case.need.rule
    if problem == "terminals" and case.is_nm:
        return "334.80"
    if special := _SPECIAL_ARTICLES.get((rule, problem)):
        return special
    if problem == "protection":
        by_size = checked.largest_breaker_amps == checked.small_conductor_amps
        return "240.4(D)" if by_size else rounding_article(case.need.device_amps)
    if problem in ("too_small", "breaker_too_small") and "215.3" in case.need.articles:
        return "215.2(A)(1)" if problem == "too_small" else "215.3"
    number = _ARTICLES[problem]
    return number if problem == "breaker_too_large" else article(number, case.edition)


_ARTICLES: dict[Problem, str] = {
    "too_small": "210.19(A)(1)",
    "too_hot": "310.15",
    "terminals": "110.14(C)",
    "protection": "240.4(B)",
    "breaker_too_small": "210.20(A)",
    "breaker_too_large": "430.52",
    "parallel": "310.10(G)",
    "minimum_size": "310.3(A)",
}
_SPECIAL_ARTICLES: dict[tuple[str, Problem], str] = {
    ("motor", "too_small"): "430.22",
    ("motor", "too_hot"): "430.22",
    ("motor", "breaker_too_small"): "430.52",
    ("cooling", "too_small"): "440.32",
    ("cooling", "too_hot"): "440.32",
    ("cooling", "breaker_too_small"): "440.22(A)",
    ("cooling", "breaker_too_large"): "440.22(A)",
}


def rounding_article(device_amps: float) -> str:
    """Return the section that relates the rating of a device to the ampacity."""
    return "240.4(B)" if device_amps <= NEXT_SIZE_UP_TO else "240.4(C)"


def problem_text(problem: Problem, checked: ConductorCheck, case: SizingCase) -> Text:
    """Describe a problem, with its figures and its section."""
    need = case.need
    # Two digits: a load may be above a limit by less than a tenth of an ampere.
    values = {
        "too_small": {
            "required": amps(need.required_amps, 2),
            "available": amps(checked.ampacity.terminal_amps, 2),
        },
        "terminals": {
            "required": amps(need.required_amps, 2),
            "available": amps(checked.ampacity.terminal_amps, 2),
        },
        "too_hot": {
            "load": amps(need.load_amps, 2),
            "available": amps(checked.ampacity.corrected_amps, 2),
        },
        "protection": {
            "device": amps(need.device_amps, 0),
            "most": amps(checked.largest_breaker_amps, 0),
        },
        "breaker_too_small": {
            "device": amps(need.device_amps, 0),
            "load": amps(need.required_amps if need.rule == "general" else need.load_amps, 2),
        },
        "breaker_too_large": {
            "device": amps(need.device_amps, 0),
            "most": amps(need.largest_breaker_amps or 0, 0),
        },
        "parallel": {"size": size_text(SMALLEST_IN_PARALLEL)},
        "minimum_size": {},
    }[problem]
    section = isolated(article_of(problem, case, checked))
    name = "nm" if problem == "terminals" and case.is_nm else problem
    key = f"calculations.conductors.problems.{name}"
    return TEXTS.text(key, section=section, **values)
