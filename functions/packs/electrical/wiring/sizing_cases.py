"""A check of conductors made ready: what is recorded, asked instead, or assumed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from packs.electrical.calculations.circuit_load import Load, check_one_load, load_of
from packs.electrical.calculations.conductors import Installation, default_terminal
from packs.electrical.calculations.requirements import Required, required_of
from packs.electrical.nec.ampacity import Rating
from packs.electrical.nec.editions import DEFAULT, Edition
from packs.electrical.nec.insulation import insulation_rating
from packs.electrical.nec.sizes import Material, Size
from packs.electrical.projects.records import Project, Wiring
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.results import Assumed, Input, Words
from rollcall.core.errors import InvalidArgument
from rollcall.core.wording import isolated

AMBIENT_C = 30.0
TOGETHER = 3
_NM_B = ("NM-B", "NMC-B")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the question says; it counts before what is recorded."""

    load_amps: float | None = None
    load_watts: float | None = None
    conductor_size: Size | None = None
    conductor_material: Material | None = None
    conductor_sets: int | None = None
    insulation: str | None = None
    ambient_c: float | None = None
    current_carrying_conductors: int | None = None
    terminal_rating_c: Rating | None = None
    continuous: bool | None = None
    breaker_amps: int | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A check ready to be made.

    Attributes:
        size: None where none is recorded or asked: then one is to be found.
    """

    size: Size | None
    how: Installation
    required: Required
    edition: Edition
    inputs: tuple[Input, ...]
    assumed: tuple[Assumed, ...]
    found: PanelCircuit | None = None
    load: Load | None = None


def case_of(project: Project, found: PanelCircuit, asked: Asked) -> Case:
    """The check of a circuit.

    Raises:
        InvalidArgument: It has no load, or a figure that no table has.
    """
    load = load_of(project, found, load_amps=asked.load_amps, load_watts=asked.load_watts)
    continuous = found.circuit.continuous if asked.continuous is None else asked.continuous
    breaker = asked.breaker_amps or found.circuit.breaker_amps
    required = required_of(load, continuous=continuous, breaker_amps=breaker)
    assumed = tuple(each for each in load.assumed if each.name != "powerFactor")
    return _case(asked, found.circuit, required, assumed, project.edition, found, load)


def case_without_circuit(asked: Asked) -> Case:
    """A check of figures that the question alone gives: general wiring, no motor.

    Raises:
        InvalidArgument: The load is not said.
    """
    check_one_load(asked.load_amps, asked.load_watts)
    if asked.load_amps is None:
        raise InvalidArgument(
            "which circuit? Give circuitNumber with panelName, circuitId or circuitDescription; "
            "without a circuit loadAmps, and conductorSize to check one",
            field="loadAmps" if asked.conductor_size else "circuitNumber",
        )
    load = Load(asked.load_amps, 0.0, 1, 1.0, "argument")
    required = required_of(
        load, continuous=asked.continuous or False, breaker_amps=asked.breaker_amps
    )
    assumed = []
    if asked.continuous is None:
        assumed.append(Assumed("continuous", False, None, _NOT_CONTINUOUS))
    if asked.conductor_material is None:
        assumed.append(Assumed("conductorMaterial", "copper", None, _COPPER))
    return _case(asked, None, required, tuple(assumed), DEFAULT, None, load)


def _case(
    asked: Asked,
    wiring: Wiring | None,
    required: Required,
    assumed: tuple[Assumed, ...],
    edition: Edition,
    found: PanelCircuit | None,
    load: Load,
) -> Case:
    known = wiring or Wiring()
    material = asked.conductor_material or known.conductor_material
    insulation, of_insulation = _insulation(asked, known, material)
    column = insulation_rating(insulation, wet=known.conduit_type == "direct_burial")
    is_nm = insulation.strip().upper() in _NM_B
    terminal, of_terminal = _terminal(asked, known, required.need.device_amps)
    ambient, of_ambient = _or_default(
        "ambientC", asked.ambient_c, known.ambient_c, AMBIENT_C, "°C", _AMBIENT
    )
    together, of_number = _or_default(
        "currentCarryingConductors",
        asked.current_carrying_conductors,
        known.current_carrying_conductors,
        TOGETHER,
        None,
        _TOGETHER,
    )
    how = Installation(
        material=material,
        insulation_c=90 if is_nm else column,
        terminal_c=min(terminal, column) if is_nm else terminal,  # 334.80
        ambient_c=float(ambient),
        current_carrying=int(together),
        sets=asked.conductor_sets or known.conductor_sets,
    )
    assumed = (*assumed, *of_insulation, *of_terminal, *of_ambient, *of_number)
    size = asked.conductor_size or known.conductor_size
    inputs = tuple(_inputs(asked, wiring, size, insulation, how, required, load, assumed))
    return Case(size, how, required, edition, inputs, assumed, found, load)


def _insulation(asked: Asked, known: Wiring, material: Material) -> tuple[str, tuple[Assumed, ...]]:
    recorded = asked.insulation or known.insulation
    if recorded:
        return recorded, ()
    if known.conduit_type == "nm_cable":
        return "NM-B", (Assumed("insulation", "NM-B", None, _CABLE),)
    usual = "THHN/THWN-2" if material == "copper" else "XHHW-2"
    return usual, (Assumed("insulation", usual, None, _USUAL),)


def _terminal(
    asked: Asked, known: Wiring, device_amps: float
) -> tuple[Rating, tuple[Assumed, ...]]:
    recorded = asked.terminal_rating_c or known.terminal_rating_c
    if recorded:
        return recorded, ()
    rating = default_terminal(device_amps)
    return rating, (Assumed("terminalRatingC", rating, "°C", _TERMINALS),)


def _or_default(
    name: str, said: Any, recorded: Any, default: Any, unit: str | None, reason: Words
) -> tuple[Any, tuple[Assumed, ...]]:
    for value in (said, recorded):
        if value is not None:
            return value, ()
    return default, (Assumed(name, default, unit, reason),)


def _inputs(
    asked: Asked,
    wiring: Wiring | None,
    size: Size | None,
    insulation: str,
    how: Installation,
    required: Required,
    load: Load,
    assumed: tuple[Assumed, ...],
) -> Iterator[Input]:
    """Every figure that was not assumed."""
    left_out = {each.name for each in assumed} - {"loadWatts"}
    need = required.need
    figures: tuple[tuple[str, Any, str | None, Any], ...] = (
        ("loadAmps", round(need.load_amps, 3), "A", asked.load_amps or asked.load_watts),
        ("conductorSize", size, None, asked.conductor_size),
        ("conductorMaterial", how.material, None, asked.conductor_material),
        ("conductorSets", how.sets, None, asked.conductor_sets),
        ("insulation", insulation, None, asked.insulation),
        ("ambientC", round(how.ambient_c, 2), "°C", asked.ambient_c),
        (
            "currentCarryingConductors",
            how.current_carrying,
            None,
            asked.current_carrying_conductors,
        ),
        ("terminalRatingC", how.terminal_c, "°C", asked.terminal_rating_c),
        ("continuous", required.continuous, None, asked.continuous),
        ("breakerAmps", need.breaker_amps, "A", asked.breaker_amps),
    )
    for name, value, unit, said in figures:
        if name in left_out or value is None or (said is None and wiring is None):
            continue
        source: Any = "argument" if said is not None else "project"
        if name == "loadAmps" and said is None:
            source = load.source if load.source == "table" else "calculated"
        yield Input(name=name, value=value, unit=unit, source=source)


_NOT_CONTINUOUS = Words(
    en="nothing says that the load runs for three hours or more",
    he="לא נאמר שהעומס פועל שלוש שעות או יותר",
)
_COPPER = Words(en="no material is named; copper is usual", he="לא צוין חומר; נחושת היא המקובלת")
_CABLE = Words(
    en="nonmetallic cable is made as NM-B today",
    he=f"כבל לא-מתכתי מיוצר כיום כ-{isolated('NM-B')}",
)
_USUAL = Words(
    en="no insulation is recorded; this is the usual one of 90 °C",
    he=f"לא נרשם סוג בידוד; זהו הבידוד המקובל ל-{isolated('90 °C')}",
)
_TERMINALS = Words(
    en="the terminals' marking is not recorded: 60 °C up to 100 A, 75 °C above (110.14(C))",
    he=f"סימון ההדקים לא נרשם: {isolated('60 °C')} עד {isolated('100 A')}, "
    f"{isolated('75 °C')} מעל לכך ({isolated('110.14(C)')})",
)
_AMBIENT = Words(
    en="the ambient temperature is not recorded; Table 310.16 is for 30 °C (86 °F)",
    he=f"טמפרטורת הסביבה לא נרשמה; טבלה {isolated('310.16')} היא ל-{isolated('30 °C')}",
)
_TOGETHER = Words(
    en="how many conductors run together is not recorded; Table 310.16 is for up to three",
    he=f"לא נרשם כמה מוליכים מונחים יחד; טבלה {isolated('310.16')} היא לעד שלושה",
)
