"""A voltage-drop calculation made ready: what is recorded, asked instead, or assumed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from packs.electrical.calculations.circuit_load import (
    Load,
    amps_from,
    check_one_load,
    known_power_factor,
    load_of,
)
from packs.electrical.calculations.voltage_drop import Run
from packs.electrical.nec.impedance import TABLE_TEMPERATURE_C, parse_conduit
from packs.electrical.nec.sizes import Material, Size
from packs.electrical.projects.records import ConduitType, Phases, Project
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.results import Assumed, Input, Words
from rollcall.core.errors import InvalidArgument
from rollcall.core.wording import isolated


@dataclass(frozen=True, slots=True)
class Asked:
    """What the question says; it counts before what is recorded. Lengths in feet, one way;
    `phases` is for a run without a circuit, whose poles say it."""

    load_amps: float | None = None
    load_watts: float | None = None
    length_ft: float | None = None
    conductor_size: Size | None = None
    conductor_material: Material | None = None
    conductor_sets: int | None = None
    power_factor: float | None = None
    conduit_type: ConduitType | None = None
    voltage: float | None = None
    phases: Phases | None = None
    conductor_temperature_c: float | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One run ready to be calculated, and where its figures come from."""

    run: Run
    inputs: tuple[Input, ...]
    assumed: tuple[Assumed, ...]
    found: PanelCircuit | None = None
    load: Load | None = None


def case_of(project: Project, found: PanelCircuit, asked: Asked) -> Case:
    """The run of a circuit.

    Raises:
        InvalidArgument: Its length, its size or its load is neither recorded nor asked.
    """
    circuit = found.circuit
    length, size = _length_and_size(found, asked)
    load = load_of(
        project,
        found,
        load_amps=asked.load_amps,
        load_watts=asked.load_watts,
        voltage=asked.voltage,
        power_factor=asked.power_factor,
        by_nameplate=True,
    )
    raceway = asked.conduit_type or circuit.conduit_type
    conduit, of_conduit = _conduit(raceway)
    run = Run(
        amps=load.amps,
        volts=load.volts,
        phases=load.phases,
        length_ft=length,
        size=size,
        material=asked.conductor_material or circuit.conductor_material,
        conduit=conduit,
        sets=asked.conductor_sets or circuit.conductor_sets,
        power_factor=load.power_factor,
        temperature_c=_conductor_c(asked),
    )
    assumed = (*load.assumed, *of_conduit, *_temperature(asked))
    return Case(run, tuple(_inputs(run, asked, load, raceway, assumed)), assumed, found, load)


def _length_and_size(found: PanelCircuit, asked: Asked) -> tuple[float, Size]:
    length = asked.length_ft or found.circuit.length_ft
    size = asked.conductor_size or found.circuit.conductor_size
    if length is None:
        raise InvalidArgument(
            f"{found.label} has no length recorded; give lengthFt or lengthM", field="lengthFt"
        )
    if size is None:
        raise InvalidArgument(
            f"{found.label} has no conductor size recorded; give conductorSize",
            field="conductorSize",
        )
    return length, size


def case_without_circuit(asked: Asked) -> Case:
    """A run that is described by the question alone.

    Raises:
        InvalidArgument: Something that it takes is not said.
    """
    check_one_load(asked.load_amps, asked.load_watts)
    if asked.voltage is None or asked.length_ft is None or asked.conductor_size is None:
        missing = {
            "voltage": asked.voltage,
            "lengthFt": asked.length_ft,
            "conductorSize": asked.conductor_size,
        }
        raise _not_said([name for name, value in missing.items() if value is None])
    phases: Phases = asked.phases or 1
    factor, assumed = known_power_factor(asked.power_factor, None)
    if asked.load_watts is not None:
        amps, more = amps_from(asked.load_watts, asked.voltage, phases, asked.power_factor)
        assumed = (*assumed, *more)
    elif asked.load_amps is not None:
        amps = asked.load_amps
    else:
        raise _not_said(["loadAmps"])
    conduit, of_conduit = _conduit(asked.conduit_type)
    material: Material = asked.conductor_material or "copper"
    run = Run(
        amps=amps,
        volts=asked.voltage,
        phases=phases,
        length_ft=asked.length_ft,
        size=asked.conductor_size,
        material=material,
        conduit=conduit,
        sets=asked.conductor_sets or 1,
        power_factor=factor,
        temperature_c=_conductor_c(asked),
    )
    assumed = (*assumed, *of_conduit, *_temperature(asked))
    if asked.conductor_material is None:
        assumed = (*assumed, Assumed("conductorMaterial", "copper", None, _COPPER))
    if asked.phases is None:
        assumed = (*assumed, Assumed("phases", 1, None, _ONE_PHASE))
    return Case(run, tuple(_inputs(run, asked, None, asked.conduit_type, assumed)), assumed)


def _not_said(missing: list[str]) -> InvalidArgument:
    return InvalidArgument(
        f"which circuit? Give circuitNumber with panelName, circuitId, circuitDescription or "
        f"selector; without a circuit also {', '.join(missing)}",
        field=missing[0] if len(missing) == 1 else "circuitNumber",
    )


def _conduit(raceway: ConduitType | None) -> tuple[Any, tuple[Assumed, ...]]:
    if raceway is None:
        return "steel", (Assumed("conduitType", "emt", None, _STEEL),)
    return parse_conduit(raceway), ()


def _conductor_c(asked: Asked) -> float:
    said = asked.conductor_temperature_c
    return TABLE_TEMPERATURE_C if said is None else said


def _temperature(asked: Asked) -> tuple[Assumed, ...]:
    if asked.conductor_temperature_c is not None:
        return ()
    return (Assumed("conductorTemperatureC", TABLE_TEMPERATURE_C, "°C", _WARM),)


def _inputs(
    run: Run,
    asked: Asked,
    load: Load | None,
    raceway: ConduitType | None,
    assumed: tuple[Assumed, ...],
) -> Iterator[Input]:
    """Every figure of the run that was not assumed."""
    left_out = {each.name for each in assumed}
    figures: tuple[tuple[str, Any, str | None, Any], ...] = (
        ("loadAmps", round(run.amps, 3), "A", asked.load_amps or asked.load_watts),
        ("voltage", round(run.volts, 2), "V", asked.voltage),
        ("phases", run.phases, None, None if load else asked.phases),
        ("lengthFt", round(run.length_ft, 2), "ft", asked.length_ft),
        ("conductorSize", run.size, None, asked.conductor_size),
        ("conductorMaterial", run.material, None, asked.conductor_material),
        ("conductorSets", run.sets, None, asked.conductor_sets),
        ("powerFactor", run.power_factor, None, asked.power_factor),
        ("conduitType", raceway, None, asked.conduit_type),
        ("conductorTemperatureC", run.temperature_c, "°C", asked.conductor_temperature_c),
    )
    for name, value, unit, said in figures:
        if name in left_out or value is None or (said is None and load is None):
            continue
        source: Any = "argument" if said is not None else "project"
        if name == "loadAmps" and said is None and load is not None:
            source = load.source if load.source == "table" else "calculated"
        yield Input(name=name, value=value, unit=unit, source=source)


_STEEL = Words(
    en="no raceway is recorded; steel (EMT) has the greatest reactance of Table 9's columns",
    he=f"לא נרשם סוג צנרת; לפלדה ({isolated('EMT')}) ההיגב הגדול ביותר בטבלה 9",
)
_WARM = Words(
    en="Tables 8 and 9 are for conductors at 75 °C",
    he=f"טבלאות 8 ו-9 הן למוליכים ב-{isolated('75 °C')}",
)
_COPPER = Words(en="no material is named; copper is usual", he="לא צוין חומר; נחושת היא המקובלת")
_ONE_PHASE = Words(
    en="no number of phases is named; the load counts as single-phase",
    he="לא צוין מספר פאזות; העומס נחשב חד-פאזי",
)
