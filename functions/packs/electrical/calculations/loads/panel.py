"""The calculated load of a panel: the loads behind it, its demand, and its limits."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from packs.electrical.calculations.loads.calculation import Calculation, Load, Method, Premises
from packs.electrical.calculations.loads.limits import Limit, limits_of
from packs.electrical.calculations.loads.lines import (
    Currents,
    System,
    Transfer,
    TransferMatrix,
    chained,
    currents,
    imbalance_percent,
    lines_of,
    over_feeder,
    system,
    system_of,
    through_transformer,
    transfer_matrix,
    transferred,
)
from packs.electrical.calculations.loads.methods import (
    METHODS,
    calculate,
    check_method,
    default_method,
    premises_of,
    why_not,
)
from packs.electrical.nec.motors import full_load_amps
from packs.electrical.projects.records import (
    Circuit,
    Feeder,
    Motor,
    Panel,
    Project,
    Transformer,
)
from packs.electrical.results import Basis
from packs.electrical.wording import TEXTS, unmarked
from rollcall.core.errors import InvalidArgument

MOTOR_KINDS = frozenset({"motor", "air_conditioning", "heat_pump"})
"""Loads whose largest counts 125 %: motors and motor-compressors (430.24, 440.33)."""

_ROUNDING = 1e-6
"""A load of just the rating fits, however its sum was rounded; a share."""


@dataclass(frozen=True, slots=True)
class Demand:
    """The calculated load of a panel.

    Attributes:
        demand_va: The calculated load, VA.
        demand_amps: Its current with all lines loaded alike, A.
        line_amps: Of each line (L1, L2 or A, B, C), A, by the positions of the circuits.
        limits: The ratings that it may not exceed; `limit` is the smallest.
        utilization_percent: `demand_amps` as a share of the smallest limit.
        fits: Neither the whole nor a line is above the smallest limit.
    """

    calculation: Calculation
    limits: tuple[Limit, ...]
    demand_va: float
    demand_amps: float
    line_amps: tuple[float, ...]

    @property
    def limit(self) -> Limit:
        """The element with the smallest rating."""
        return min(self.limits, key=lambda limit: limit.amps)

    @property
    def rating_amps(self) -> float:
        """The rating of that element, A."""
        return self.limit.amps

    @property
    def rating_va(self) -> float:
        """The balanced load of that current, VA."""
        return self.calculation.system.va(self.rating_amps)

    @property
    def utilization_percent(self) -> float:
        return 100 * self.demand_amps / self.rating_amps

    @property
    def available_va(self) -> float:
        """The rating without the demand, VA; negative where the demand is above it."""
        return self.rating_va - self.demand_va

    @property
    def heaviest_amps(self) -> float:
        """The current of the heaviest line, or of the whole where that is more, A."""
        return max(self.demand_amps, *self.line_amps)

    @property
    def fits(self) -> bool:
        return self.heaviest_amps <= self.rating_amps * (1 + _ROUNDING)

    @property
    def imbalance_percent(self) -> float:
        """The largest departure of a line from the lines' mean, percent."""
        return imbalance_percent(self.line_amps)


@dataclass(frozen=True, slots=True)
class PanelLoads:
    """The loads behind a panel, gathered once for every method.

    Attributes:
        grown: With circuits that are proposed; None where there are none.
    """

    premises: Premises
    limits: tuple[Limit, ...]
    now: ConnectedLoads
    grown: ConnectedLoads | None = None

    def open_methods(self, *, peak_va: float | None = None) -> list[Method]:
        """The methods that apply."""
        loads, premises = self.now.loads, self.premises
        return [each for each in METHODS if why_not(each, loads, premises, peak_va=peak_va) is None]

    def chosen(self, method: Method | None, *, peak_va: float | None = None) -> Method:
        """The method that is asked for, or the default.

        Raises:
            FailedPrecondition: The one asked for does not apply.
        """
        if method is None:
            return default_method(self.now.loads, self.premises)
        return check_method(method, self.now.loads, self.premises, peak_va=peak_va)

    def demand(self, method: Method, *, peak_va: float | None = None) -> Demand:
        """Calculate the demand by a method that applies; with new circuits it is never less."""
        now = self._counted(self.now, method, peak_va)
        if self.grown is None:
            return now
        then = self._counted(self.grown, method, peak_va)
        lines = tuple(max(pair) for pair in zip(now.line_amps, then.line_amps, strict=True))
        return Demand(
            then.calculation,
            then.limits,
            max(now.demand_va, then.demand_va),
            max(now.demand_amps, then.demand_amps),
            lines,
        )

    def with_new(self, project: Project, panel: Panel, extra: Sequence[Circuit]) -> PanelLoads:
        """Return the same with `extra` circuits in the panel."""
        grown = with_circuits(project, panel, extra)
        there = grown.panel(panel.id) or panel
        new = [circuit.id for circuit in extra]
        return replace(self, grown=loads_behind(grown, there, new=new))

    def _counted(self, gathered: ConnectedLoads, method: Method, peak_va: float | None) -> Demand:
        found = calculate(gathered.loads, self.premises, method, peak_va=peak_va)
        found.basis.assumptions += gathered.basis.assumptions
        return Demand(found, self.limits, found.demand_va, found.demand_amps, found.line_amps)


def panel_loads(project: Project, panel: Panel, extra: Sequence[Circuit] = ()) -> PanelLoads:
    """Gather the loads behind a panel, and with `extra` circuits in it."""
    premises = premises_of(project, panel)
    limits = tuple(limits_of(project, panel, whole_dwelling=premises.is_one_dwelling))
    found = PanelLoads(premises, limits, loads_behind(project, panel))
    return found.with_new(project, panel, extra) if extra else found


def panel_demand(
    project: Project,
    panel: Panel,
    extra: Sequence[Circuit] = (),
    *,
    method: Method | None = None,
    peak_va: float | None = None,
) -> Demand:
    """Calculate the demand of a panel and all downstream of it, demand factors applied once.

    With more circuits it is never less than without them, even where a demand factor that begins
    with a number of appliances (220.53, 220.54, 220.55) makes it so.

    Args:
        extra: Circuits that are not there yet; their numbers say which lines they load.
        method: By which to count; by default the optional method where it applies, else the
            standard one.
        peak_va: The measured maximum demand for the method "measured" (220.87), VA.

    Raises:
        FailedPrecondition: The method does not apply here.
    """
    loads = panel_loads(project, panel, extra)
    return loads.demand(loads.chosen(method, peak_va=peak_va), peak_va=peak_va)


def with_circuits(project: Project, panel: Panel, extra: Sequence[Circuit]) -> Project:
    """Return the project with these circuits added to a panel."""
    more = panel.model_copy(update={"circuits": (*panel.circuits, *extra)})
    panels = tuple(more if each.id == panel.id else each for each in project.panels)
    return project.model_copy(update={"panels": panels})


# ---- The loads behind a panel ----


@dataclass(slots=True)
class ConnectedLoads:
    """The loads behind a panel; the basis has what had to be assumed about them."""

    loads: list[Load] = field(default_factory=list)
    basis: Basis = field(default_factory=Basis)


def loads_behind(project: Project, panel: Panel, *, new: Collection[str] = ()) -> ConnectedLoads:
    """Gather the loads of a panel and of all panels that it feeds, with their current in its lines.

    Args:
        new: Ids of circuits that are proposed.
    """
    found = ConnectedLoads()
    _add(_Index(project), panel, None, frozenset(new), found)
    return found


def feeder_circuits(project: Project, panel: Panel) -> dict[str, Circuit]:
    """Find the circuits of a panel that are the breakers of its feeders, by the feeders' ids.

    A feeder has the circuit that names what it supplies; else one of the same rating; else
    whichever is left, in the order of their numbers.
    """
    return _Index(project).feeder_circuits(panel)


class _Index:
    """A project's records by the panel or circuit that they belong to."""

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
        for fits in (
            self._names,
            lambda feeder, circuit: feeder.breaker_amps == circuit.breaker_amps,
            lambda feeder, circuit: True,
        ):
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


def _add(
    index: _Index,
    panel: Panel,
    way: TransferMatrix | None,
    new: frozenset[str],
    found: ConnectedLoads,
) -> None:
    """Add the loads of a panel and of those below it.

    Args:
        way: From the panel's lines to those of the panel that is calculated; None where it is that.
    """
    here = system_of(panel)
    feeds = index.feeder_circuits(panel, new)
    own = {circuit.id for circuit in feeds.values()}
    for circuit in panel.circuits:
        if not circuit.is_spare and circuit.id not in own:
            found.loads += _loads_of(index, panel, circuit, here, found, way, circuit.id in new)
    for feeder in index.feeders(panel):
        for below, up in _supplied(index, feeder, feeds.get(feeder.id), here):
            first = transfer_matrix(up, system_of(below).lines)
            through = first if way is None else tuple(transferred(each, way) for each in first)
            _add(index, below, through, new, found)


def _supplied(
    index: _Index, feeder: Feeder, circuit: Circuit | None, above: System
) -> Iterator[tuple[Panel, Transfer]]:
    """The panels at the end of a feeder, transformers passed, and the transfer up from each."""
    target = index.nodes[feeder.target_id]
    if isinstance(target, Panel):
        yield target, over_feeder(circuit, system_of(target), above)
        return
    secondary = system(target.secondary_voltage, target.phases)
    through = through_transformer(target, circuit, secondary, above)
    for onward in index.feeders(target):
        for panel, up in _supplied(index, onward, None, secondary):
            yield panel, chained(up, through)


def _loads_of(
    index: _Index,
    panel: Panel,
    circuit: Circuit,
    here: System,
    found: ConnectedLoads,
    way: TransferMatrix | None,
    is_new: bool,
) -> Iterator[Load]:
    """A circuit's motors by the tables where it has any; else its recorded load."""
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
        found.basis.assume("power_factor", 1, None, TEXTS.text("loads.unity"))
    va = circuit.load_watts / (circuit.power_factor or 1)
    name = f"{panel.name} {circuit.circuit_number}: {circuit.description}"
    drawn = _above(currents(here, lines, va), way)
    yield Load(circuit.id, name, circuit.load_type, va, drawn, steady, is_motor, is_new)


def _above(drawn: Currents, way: TransferMatrix | None) -> Currents:
    return drawn if way is None else transferred(drawn, way)


def _motor_va(motor: Motor, here: System, found: ConnectedLoads) -> float | None:
    """By the table's current, not the nameplate's (430.6(A)(1)), at the system's voltage; None
    where neither is known."""
    try:
        amps = full_load_amps(motor.hp, motor.voltage, motor.phases)
    except InvalidArgument:  # no such motor in the tables: its nameplate is what there is
        if motor.nameplate_amps is None:
            return None
        amps = motor.nameplate_amps
        reason = TEXTS.text("loads.nameplate", name=unmarked(motor.name))
        found.basis.assume(f"motor_{motor.id}", amps, "A", reason)
    to_neutral = motor.phases == 1 and motor.voltage < here.voltage * 0.75
    volts = abs(here.to_neutral[0]) if to_neutral else here.voltage
    return amps * volts * (math.sqrt(3) if motor.phases == 3 else 1)
