"""The calculated load of a panel: the loads behind it, its demand, and its limits."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from packs.electrical.calculations.circuit_load import assume_nameplate, motor_amps
from packs.electrical.calculations.loads.calculation import Calculation, Load, Method, Premises
from packs.electrical.calculations.loads.limits import Limit, limits_of
from packs.electrical.calculations.loads.lines import (
    System,
    Transfer,
    chained,
    currents,
    imbalance_percent,
    lines_of,
    over_feeder,
    system,
    system_of,
    through_transformer,
)
from packs.electrical.calculations.loads.methods import (
    applicable_methods,
    calculate,
    choose_method,
    premises_of,
)
from packs.electrical.projects.records import Circuit, Feeder, Motor, Panel, PanelCircuit, Project
from packs.electrical.projects.topology import ProjectIndex
from packs.electrical.results import Basis
from packs.electrical.wording import TEXTS
from rollcall.core.errors import InvalidArgument

MOTOR_KINDS = frozenset({"motor", "air_conditioning", "heat_pump"})
"""Loads whose largest counts 125 %: motors and motor-compressors (430.24, 440.33)."""

_ROUNDING = 1e-6
"""A load equal to the rating fits, whatever the rounding of its sum; a share."""


class Demand(Struct, frozen=True):
    """The calculated load of a panel.

    Attributes:
        demand_va: The calculated load, VA.
        demand_amps: Its current if shared equally by the lines, A.
        line_amps: The current of each line (L1, L2 or A, B, C), A, by the circuits' positions.
        limits: The ratings that it may not exceed; `limit` is the smallest.
        utilization_percent: `demand_amps` as a share of the smallest limit.
        fits: Whether neither the whole nor a line is above the smallest limit.
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
        """The smallest rating, A."""
        return self.limit.amps

    @property
    def utilization_percent(self) -> float:
        return 100 * self.demand_amps / self.rating_amps

    @property
    def available_va(self) -> float:
        """The balanced load of the smallest rating without the demand, VA; negative where the
        demand is above it."""
        return self.calculation.system.va(self.rating_amps) - self.demand_va

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


class PanelLoads(Struct, frozen=True):
    """The loads behind a panel, gathered once for every method.

    Attributes:
        now: The loads that exist.
        grown: The same with proposed circuits; None where there are none.
    """

    premises: Premises
    limits: tuple[Limit, ...]
    now: ConnectedLoads
    grown: ConnectedLoads | None = None

    def methods(self) -> list[Method]:
        """Return the methods that apply."""
        return applicable_methods(self.now.loads, self.premises)

    def method(self, requested: Method | None) -> Method:
        """Return the requested method, or the default one.

        Raises:
            FailedPrecondition: The requested one does not apply.
        """
        return choose_method(requested, self.now.loads, self.premises)

    def demand(self, method: Method) -> Demand:
        """Calculate the demand by a method that applies.

        New circuits never lower it, even where a demand factor that begins with a number of
        appliances (220.53, 220.54, 220.55) would.
        """
        now = self._demand(self.now, method)
        if self.grown is None:
            return now
        then = self._demand(self.grown, method)
        lines = tuple(max(pair) for pair in zip(now.line_amps, then.line_amps, strict=True))
        return Demand(
            then.calculation,
            then.limits,
            max(now.demand_va, then.demand_va),
            max(now.demand_amps, then.demand_amps),
            lines,
        )

    def with_new(self, project: Project, panel: Panel, extra: Sequence[Circuit]) -> PanelLoads:
        """Return the same with `extra` circuits, whose numbers say which lines they load."""
        grown = with_extra_circuits(project, panel, extra)
        there = grown.panel(panel.id) or panel
        new = [circuit.id for circuit in extra]
        return replace(self, grown=loads_behind(grown, there, new=new))

    def _demand(self, connected: ConnectedLoads, method: Method) -> Demand:
        result = calculate(connected.loads, self.premises, method)
        result.basis.assumptions += connected.basis.assumptions
        return Demand(result, self.limits, result.demand_va, result.demand_amps, result.line_amps)


def panel_loads(
    project: Project, panel: Panel, measured_peak_va: float | None = None
) -> PanelLoads:
    """Gather the loads behind a panel; the measured maximum demand is for the method "measured"."""
    premises = premises_of(project, panel, measured_peak_va)
    limits = tuple(limits_of(project, panel, whole_dwelling=premises.is_one_dwelling))
    return PanelLoads(premises, limits, loads_behind(project, panel))


def panel_demand(project: Project, panel: Panel) -> Demand:
    """Calculate the demand of a panel and all downstream of it by the default method, with demand
    factors applied once."""
    loads = panel_loads(project, panel)
    return loads.demand(loads.method(None))


def with_extra_circuits(project: Project, panel: Panel, extra: Sequence[Circuit]) -> Project:
    """Return the project with these circuits added to a panel."""
    more = panel.model_copy(update={"circuits": (*panel.circuits, *extra)})
    panels = tuple(more if each.id == panel.id else each for each in project.panels)
    return project.model_copy(update={"panels": panels})


# ---- The loads behind a panel ----


class ConnectedLoads(Struct):
    """The loads behind a panel, and the assumptions about them."""

    loads: list[Load] = field(default_factory=list)
    basis: Basis = field(default_factory=Basis)


def loads_behind(project: Project, panel: Panel, *, new: Collection[str] = ()) -> ConnectedLoads:
    """Gather the loads of a panel and of all panels that it feeds, as currents in its lines.

    Args:
        new: Ids of circuits that are proposed.
    """
    connected = ConnectedLoads()
    _add(ProjectIndex(project), panel, lambda drawn: drawn, frozenset(new), connected)
    return connected


def feeder_circuits(project: Project, panel: Panel) -> dict[str, Circuit]:
    """Find the circuits of a panel that are the breakers of its feeders, by the feeders' ids.

    A feeder's circuit is the one that names its target or itself; else one of the same rating; else
    the next one by number.
    """
    return _feeder_circuits(ProjectIndex(project), panel)


def _feeder_circuits(
    index: ProjectIndex, panel: Panel, new: frozenset[str] = frozenset()
) -> dict[str, Circuit]:
    subs = [each for each in panel.circuits if each.load_type == "subpanel"]
    free = sorted(
        (each for each in subs if each.id not in new),  # a proposed circuit feeds nothing yet
        key=lambda circuit: circuit.circuit_number,
    )

    def names(feeder: Feeder, circuit: Circuit) -> bool:
        description = circuit.description.casefold()
        named = (index.nodes[feeder.target_id].name, feeder.name)
        return any(name.casefold() in description for name in named)

    circuits: dict[str, Circuit] = {}
    for fits in (
        names,
        lambda feeder, circuit: feeder.breaker_amps == circuit.breaker_amps,
        lambda feeder, circuit: True,
    ):
        for feeder in index.feeders_from.get(panel.id, []):
            if feeder.id in circuits:
                continue
            circuit = next((each for each in free if fits(feeder, each)), None)
            if circuit is not None:
                circuits[feeder.id] = circuit
                free.remove(circuit)
    return circuits


def _add(
    index: ProjectIndex,
    panel: Panel,
    transfer: Transfer,
    new: frozenset[str],
    connected: ConnectedLoads,
) -> None:
    """Add the loads of a panel and of those below it.

    Args:
        transfer: From the panel's lines to those of the calculated panel.
    """
    here = system_of(panel)
    feeds = _feeder_circuits(index, panel, new)
    own = {circuit.id for circuit in feeds.values()}
    for circuit in panel.circuits:
        if not circuit.is_spare and circuit.id not in own:
            is_new = circuit.id in new
            branch = PanelCircuit(panel, circuit)
            connected.loads += _loads_of(index, branch, connected, transfer, is_new)
    for feeder in index.feeders_from.get(panel.id, []):
        for below, up in _supplied(index, feeder, feeds.get(feeder.id), here):
            _add(index, below, chained(up, transfer), new, connected)


def _supplied(
    index: ProjectIndex, feeder: Feeder, circuit: Circuit | None, above: System
) -> Iterator[tuple[Panel, Transfer]]:
    """The panels at the end of a feeder, transformers passed, and the transfer up from each."""
    target = index.nodes[feeder.target_id]
    if isinstance(target, Panel):
        yield target, over_feeder(circuit, system_of(target), above)
        return
    secondary = system(target.secondary_voltage, target.phases)
    through = through_transformer(target, circuit, secondary, above)
    for onward in index.feeders_from.get(target.id, []):
        for panel, up in _supplied(index, onward, None, secondary):
            yield panel, chained(up, through)


def _loads_of(
    index: ProjectIndex,
    branch: PanelCircuit,
    connected: ConnectedLoads,
    transfer: Transfer,
    is_new: bool,
) -> Iterator[Load]:
    """A circuit's motors by the tables where it has any; else its recorded load."""
    panel, circuit = branch.panel, branch.circuit
    here = system_of(panel)
    lines, continuous = lines_of(circuit, here), circuit.continuous
    is_motor = circuit.load_type in MOTOR_KINDS
    basis = connected.basis
    motors = [(motor, _motor_va(motor, here, basis)) for motor in index.motors_on(branch)]
    known = [(motor, va) for motor, va in motors if va is not None]
    if motors and len(known) == len(motors):
        for motor, va in known:
            kind = circuit.load_type if is_motor else "motor"
            drawn = transfer(currents(here, lines, va))
            yield Load(circuit.id, motor.name, kind, va, drawn, continuous, True, is_new)
        return
    if circuit.load_watts and circuit.power_factor is None:
        basis.assume("power_factor", 1, None, TEXTS.text("loads.unity"))
    va = circuit.load_watts / (circuit.power_factor or 1)
    name = f"{panel.name} {circuit.circuit_number}: {circuit.description}"
    drawn = transfer(currents(here, lines, va))
    yield Load(circuit.id, name, circuit.load_type, va, drawn, continuous, is_motor, is_new)


def _motor_va(motor: Motor, here: System, basis: Basis) -> float | None:
    """The load of a motor at the system's voltage, VA, by the table's current and not the
    nameplate's (430.6(A)(1)); None where neither is known."""
    in_tables = motor.kind != "synchronous"
    try:
        amps = motor_amps(motor)
    except InvalidArgument:  # no such motor in the tables: its nameplate counts
        if motor.nameplate_amps is None:
            return None
        amps, in_tables = motor.nameplate_amps, False
    if not in_tables:
        assume_nameplate(motor, amps, basis)
    to_neutral = motor.phases == 1 and motor.voltage < here.voltage * 0.75
    volts = abs(here.to_neutral[0]) if to_neutral else here.voltage
    return amps * volts * (math.sqrt(3) if motor.phases == 3 else 1)
