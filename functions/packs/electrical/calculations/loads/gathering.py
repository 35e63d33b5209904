"""Every load behind a panel: its own circuits, and those of all panels that it feeds, each once."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from packs.electrical.calculations.loads.carrying import (
    Carry,
    Images,
    carried,
    images,
    over_feeder,
    through_transformer,
)
from packs.electrical.calculations.loads.phases import (
    Currents,
    System,
    currents,
    lines_of,
    system,
    system_of,
)
from packs.electrical.calculations.loads.steps import Load
from packs.electrical.nec.motors import full_load_amps
from packs.electrical.projects.records import (
    Circuit,
    Feeder,
    Motor,
    Panel,
    Project,
    Transformer,
)
from packs.electrical.results import Assumed, Words
from rollcall.core.errors import InvalidArgument
from rollcall.core.wording import isolated

MOTOR_KINDS = frozenset({"motor", "air_conditioning", "heat_pump"})
"""Loads whose largest counts 125 %: motors and motor-compressors (430.24, 440.33)."""


@dataclass(slots=True)
class Gathered:
    """The loads behind a panel, and what had to be assumed about them."""

    loads: list[Load] = field(default_factory=list)
    assumed: dict[str, Assumed] = field(default_factory=dict)

    def assume(self, assumed: Assumed) -> None:
        """State an assumption, once."""
        self.assumed.setdefault(assumed.name, assumed)


def loads_behind(project: Project, panel: Panel, *, new: Collection[str] = ()) -> Gathered:
    """The loads of a panel and of everything downstream of it, with their current in its lines.

    Args:
        new: Ids of circuits that are proposed.
    """
    found = Gathered()
    _add(_Index(project), panel, None, frozenset(new), found)
    return found


def feeder_circuits(project: Project, panel: Panel) -> dict[str, Circuit]:
    """The circuits of a panel that are the breakers of its feeders, by the feeders' ids.

    One that names what the feeder supplies is its own; of the others, one of the same rating, then
    whichever is left in the order of their numbers.
    """
    return _Index(project).feeder_circuits(panel)


class _Index:
    """A project's records by what they hang on, so that each is looked for once."""

    def __init__(self, project: Project) -> None:
        self.nodes: dict[str, Panel | Transformer] = {each.id: each for each in project.panels}
        self.nodes |= {each.id: each for each in project.transformers}
        self._feeders: dict[str, list[Feeder]] = {}
        for feeder in project.feeders:
            self._feeders.setdefault(feeder.source_id, []).append(feeder)
        self._motors: dict[tuple[str, int], list[Motor]] = {}
        for motor in project.motors:
            key = (motor.panel_id, motor.circuit_number)
            self._motors.setdefault(key, []).append(motor)

    def feeders(self, node: Panel | Transformer) -> list[Feeder]:
        return self._feeders.get(node.id, [])

    def motors(self, panel: Panel, circuit: Circuit) -> list[Motor]:
        return self._motors.get((panel.id, circuit.circuit_number), [])

    def feeder_circuits(
        self, panel: Panel, new: frozenset[str] = frozenset()
    ) -> dict[str, Circuit]:
        subs = [each for each in panel.circuits if each.load_type == "subpanel"]
        free = sorted(
            (each for each in subs if each.id not in new),  # what is proposed feeds nothing yet
            key=lambda circuit: circuit.circuit_number,
        )
        found: dict[str, Circuit] = {}
        for fits in (self._names, _rated_alike, _any):
            for feeder in self.feeders(panel):
                if feeder.id in found:
                    continue
                circuit = next((each for each in free if fits(feeder, each)), None)
                if circuit is not None:
                    found[feeder.id] = circuit
                    free.remove(circuit)
        return found

    def _names(self, feeder: Feeder, circuit: Circuit) -> bool:
        said = circuit.description.casefold()
        return any(
            name.casefold() in said for name in (self.nodes[feeder.target_id].name, feeder.name)
        )


def _rated_alike(feeder: Feeder, circuit: Circuit) -> bool:
    return feeder.breaker_amps == circuit.breaker_amps


def _any(feeder: Feeder, circuit: Circuit) -> bool:
    return True


def _add(
    index: _Index, panel: Panel, way: Images | None, new: frozenset[str], found: Gathered
) -> None:
    """The loads of a panel and of those below it; `way` leads from its lines to where they are
    counted, None where that is here."""
    here = system_of(panel)
    feeds = index.feeder_circuits(panel, new)
    own = {circuit.id for circuit in feeds.values()}
    for circuit in panel.circuits:
        if not circuit.is_spare and circuit.id not in own:
            found.loads += _loads_of(index, panel, circuit, here, found, way, circuit.id in new)
    for feeder in index.feeders(panel):
        for below, up in _supplied(index, feeder, feeds.get(feeder.id), here):
            first = images(up, system_of(below).lines)
            through = first if way is None else tuple(carried(image, way) for image in first)
            _add(index, below, through, new, found)


def _supplied(
    index: _Index, feeder: Feeder, circuit: Circuit | None, above: System
) -> Iterator[tuple[Panel, Carry]]:
    """The panels at the end of a feeder, transformers passed through, and the way up from each."""
    target = index.nodes[feeder.target_id]
    if isinstance(target, Panel):
        yield target, over_feeder(circuit, system_of(target), above)
        return
    secondary = system(target.secondary_voltage, target.phases)
    through = through_transformer(target, circuit, secondary, above)
    for onward in index.feeders(target):
        for panel, up in _supplied(index, onward, None, secondary):
            yield panel, _then(up, through)


def _then(first: Carry, second: Carry) -> Carry:
    return lambda drawn: second(first(drawn))


def _loads_of(
    index: _Index,
    panel: Panel,
    circuit: Circuit,
    here: System,
    found: Gathered,
    way: Images | None,
    is_new: bool,
) -> Iterator[Load]:
    """A circuit's motors by the tables where it has any; else what it says of its load."""
    lines, steady = lines_of(circuit, here), circuit.continuous
    is_motor = circuit.load_type in MOTOR_KINDS
    motors = [(motor, _motor_va(motor, here, found)) for motor in index.motors(panel, circuit)]
    known = [(motor, va) for motor, va in motors if va is not None]
    if motors and len(known) == len(motors):
        for motor, va in known:
            kind = circuit.load_type if is_motor else "motor"
            drawn = _above(currents(here, lines, va), way)
            yield Load(circuit.id, motor.name, kind, va, drawn, steady, True, is_new)
        return
    if circuit.load_watts and circuit.power_factor is None:
        found.assume(_UNITY)
    va = circuit.load_watts / (circuit.power_factor or 1)
    name = f"{panel.name} {circuit.circuit_number}: {circuit.description}"
    drawn = _above(currents(here, lines, va), way)
    yield Load(circuit.id, name, circuit.load_type, va, drawn, steady, is_motor, is_new)


def _above(drawn: Currents, way: Images | None) -> Currents:
    return drawn if way is None else carried(drawn, way)


def _motor_va(motor: Motor, here: System, found: Gathered) -> float | None:
    """By the table's current, not the nameplate's (430.6(A)(1)), at the system's voltage; None
    where neither is known."""
    try:
        amps = full_load_amps(motor.hp, motor.voltage, motor.phases)
    except InvalidArgument:  # no such motor in the tables: its nameplate is what there is
        if motor.nameplate_amps is None:
            return None
        amps = motor.nameplate_amps
        found.assume(_nameplate(motor))
    to_neutral = motor.phases == 1 and motor.voltage < here.voltage * 0.75
    volts = abs(here.to_neutral[0]) if to_neutral else here.voltage
    return amps * volts * (math.sqrt(3) if motor.phases == 3 else 1)


_UNITY = Assumed(
    "power_factor",
    1,
    None,
    Words(
        en="circuits that state no power factor count with 1: their watts are volt-amperes",
        he="מעגלים שלא צוין להם מקדם הספק נספרים עם מקדם 1: הוואטים שלהם הם וולט-אמפר",
    ),
)


def _nameplate(motor: Motor) -> Assumed:
    return Assumed(
        f"motor_{motor.id}",
        motor.nameplate_amps,
        "A",
        Words(
            en=f"{motor.name} is not in the motor tables; its nameplate current counts",
            he=f"המנוע {isolated(motor.name)} אינו בטבלאות המנועים; נספר הזרם שעל לוחית הזיהוי",
        ),
    )
