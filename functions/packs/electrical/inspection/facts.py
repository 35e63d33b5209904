"""A project as the rules look at it: what is asked of one thing often is worked out once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import Any, TypeVar

from packs.electrical.calculations.circuit_load import household_range_watts
from packs.electrical.calculations.conductors import Ampacity
from packs.electrical.calculations.loads.gathering import feeder_circuits
from packs.electrical.calculations.loads.limits import DWELLING_SHARE
from packs.electrical.calculations.loads.methods import premises_of
from packs.electrical.calculations.loads.panel import Demand, panel_demand
from packs.electrical.calculations.short_circuit.at_panel import fault_at
from packs.electrical.inspection.conductors import ampacity_behind, smallest_behind
from packs.electrical.inspection.rule import Kind, Unknown, known
from packs.electrical.nec.motors import full_load_amps
from packs.electrical.nec.sizes import Size
from packs.electrical.projects.records import (
    Circuit,
    Feeder,
    Motor,
    Panel,
    Project,
    Transformer,
    Wiring,
)
from packs.electrical.projects.selection import PanelCircuit
from packs.electrical.projects.topology import service_panel
from rollcall.core.errors import AgentError, FailedPrecondition

T = TypeVar("T")
MOTOR_LOADS = frozenset({"motor", "air_conditioning", "heat_pump", "welder"})
"""Whose conductors are protected by articles of their own (240.4(G))."""

DWELLING_RANGE_A = (100, 400)


class Facts:
    """What rules ask of a project.

    Attributes:
        panels: Those that are looked at; all, or the one that was asked for.
    """

    def __init__(self, project: Project, panels: Iterable[Panel] | None = None) -> None:
        self.project = project
        self.edition = project.edition
        self.panels = tuple(project.panels if panels is None else panels)
        self._worked_out: dict[tuple[Any, ...], Any] = {}

    @property
    def dwelling(self) -> bool:
        return self.project.building.occupancy == "dwelling"

    @cached_property
    def service_panel(self) -> Panel | None:
        """The service equipment; None if the project does not say which panel it is."""
        try:
            return service_panel(self.project)
        except FailedPrecondition:
            return None

    @cached_property
    def into(self) -> dict[str, Feeder]:
        """The feeder that supplies a panel or transformer, by its id."""
        return {feeder.target_id: feeder for feeder in self.project.feeders}

    @cached_property
    def out_of(self) -> dict[str, list[Feeder]]:
        """The feeders from a panel or transformer, by its id."""
        found: dict[str, list[Feeder]] = defaultdict(list)
        for feeder in self.project.feeders:
            found[feeder.source_id].append(feeder)
        return found

    @cached_property
    def nodes(self) -> dict[str, Panel | Transformer]:
        """Panels and transformers by id."""
        found: dict[str, Panel | Transformer] = {each.id: each for each in self.project.panels}
        return found | {each.id: each for each in self.project.transformers}

    @cached_property
    def motors(self) -> dict[tuple[str, int], list[Motor]]:
        """By panel and circuit number."""
        found: dict[tuple[str, int], list[Motor]] = defaultdict(list)
        for motor in self.project.motors:
            found[motor.panel_id, motor.circuit_number].append(motor)
        return found

    @cached_property
    def _numbered(self) -> dict[tuple[str, int], Circuit]:
        return {
            (panel.id, circuit.circuit_number): circuit
            for panel in self.project.panels
            for circuit in panel.circuits
        }

    def circuit_of(self, motor: Motor) -> PanelCircuit:
        """The circuit of a motor, which a valid project has."""
        panel = self.nodes[motor.panel_id]
        assert isinstance(panel, Panel)
        return PanelCircuit(panel, self._numbered[motor.panel_id, motor.circuit_number])

    @cached_property
    def circuits(self) -> list[PanelCircuit]:
        """Of the panels that are looked at, without spares and without the breakers of feeders,
        which are looked at as such."""
        return [
            PanelCircuit(panel, circuit)
            for panel in self.panels
            for circuit in panel.circuits
            if not circuit.is_spare and circuit.id not in self._breakers_of_feeders(panel)
        ]

    def _breakers_of_feeders(self, panel: Panel) -> set[str]:
        def work() -> set[str]:
            return {each.id for each in feeder_circuits(self.project, panel).values()}

        return self.once(("feeders", panel.id), work) if panel.id in self.out_of else set()

    @cached_property
    def all_circuits(self) -> list[Circuit]:
        """Of the whole project, without spares."""
        return [
            circuit
            for panel in self.project.panels
            for circuit in panel.circuits
            if not circuit.is_spare
        ]

    def subjects(self, kind: Kind) -> list[Any]:
        """What rules of a kind look at, one after the other."""
        ids = {panel.id for panel in self.panels}
        if kind == "project":
            here = self.service_panel is not None and self.service_panel.id in ids
            return [self.project] if here or len(ids) == len(self.project.panels) else []
        if kind == "panel":
            return list(self.panels)
        if kind == "circuit":
            return self.circuits
        if kind == "motor":
            return [motor for motor in self.project.motors if motor.panel_id in ids]
        if len(ids) == len(self.project.panels):
            feeders, transformers = self.project.feeders, self.project.transformers
        else:
            feeders = tuple(each for each in self.project.feeders if each.target_id in ids)
            above = {each.source_id for each in feeders}
            transformers = tuple(each for each in self.project.transformers if each.id in above)
        return list(feeders if kind == "feeder" else transformers)

    def once(self, key: tuple[Any, ...], work: Callable[[], T]) -> T:
        """What `work` gives, worked out at the first time for each key; also if it is Unknown."""
        if key not in self._worked_out:
            try:
                self._worked_out[key] = work()
            except Unknown as unknown:
                self._worked_out[key] = unknown
        found = self._worked_out[key]
        if isinstance(found, Unknown):
            raise Unknown(found.field)
        return found  # type: ignore[no-any-return]

    def is_service(self, panel: Panel) -> bool:
        """Whether the panel is the service equipment.

        Raises:
            Unknown: The project does not say which one is.
        """
        if panel.is_service_equipment:
            return True
        return known(self.service_panel, "service.panelId").id == panel.id

    def source_transformer(self, panel: Panel) -> Transformer | None:
        """The transformer that a panel's feeder comes from."""
        feeder = self.into.get(panel.id)
        source = self.nodes.get(feeder.source_id) if feeder else None
        return source if isinstance(source, Transformer) else None

    def from_transformer(self, feeder: Feeder) -> bool:
        """Whether a feeder starts at a transformer's secondary."""
        return isinstance(self.nodes.get(feeder.source_id), Transformer)

    def is_open_secondary(self, feeder: Feeder) -> bool:
        """Whether a feeder starts at a transformer with no device there: its own rules are those
        of 240.21(C)."""
        return self.from_transformer(feeder) and self.protected_at(feeder) is None

    def protected_at(self, feeder: Feeder) -> float | None:
        """The rating of the device at a feeder's source, A, where one is recorded."""
        if feeder.breaker_amps is not None:
            return feeder.breaker_amps
        source = self.nodes.get(feeder.source_id)
        return source.secondary_breaker_amps if isinstance(source, Transformer) else None

    def voltage(self, found: PanelCircuit) -> float:
        """Volts of a circuit's load: between its lines, or to neutral with one pole."""
        panel, circuit = found
        if circuit.voltage is not None:
            return circuit.voltage
        return panel.line_to_neutral if circuit.poles == 1 else panel.voltage

    def amps(self, found: PanelCircuit) -> float:
        """The current of a circuit's load, A; a power factor that is not recorded counts as 1.

        Raises:
            Unknown: No load is recorded.
        """
        return self._amps(found, found.circuit.load_watts)

    def amps_of_circuit(self, found: PanelCircuit) -> float:
        """The current that a circuit must be good for, A: that of its load, and of a household
        range that of Table 220.55.

        Raises:
            Unknown: No load is recorded.
        """
        watts = found.circuit.load_watts
        by_table = household_range_watts(self.project, found.circuit, watts)
        return self._amps(found, watts if by_table is None else by_table)

    def _amps(self, found: PanelCircuit, watts: float) -> float:
        if watts <= 0:
            raise Unknown("loadWatts")
        circuit = found.circuit
        phases = 3**0.5 if circuit.poles == 3 else 1.0
        return watts / (self.voltage(found) * phases * (circuit.power_factor or 1))

    def motor_amps(self, motor: Motor) -> float:
        """A motor's current of Tables 430.248 or 430.250, A.

        Raises:
            Unknown: The tables have no such motor.
        """
        key = ("motor", motor.hp, motor.voltage, motor.phases)
        work = partial(full_load_amps, motor.hp, motor.voltage, motor.phases)
        return self.once(key, lambda: looked_up(work, "motors.hp"))

    def motors_below(self, node: str) -> list[Motor]:
        """The motors that are supplied through a panel or transformer at its own voltage."""
        return self.once(("motors below", node), lambda: self._motors_below(node))

    def _motors_below(self, node: str) -> list[Motor]:
        found = list(self._motors_of_panel.get(node, []))
        for feeder in self.out_of.get(node, []):
            if isinstance(self.nodes[feeder.target_id], Panel):
                found += self.motors_below(feeder.target_id)
        return found

    @cached_property
    def _motors_of_panel(self) -> dict[str, list[Motor]]:
        found: dict[str, list[Motor]] = defaultdict(list)
        for motor in self.project.motors:
            found[motor.panel_id].append(motor)
        return found

    def ampacity(self, wiring: Wiring, device_amps: float) -> Ampacity:
        """What the conductors may carry, A; see `conductors.ampacity_behind`."""
        key = ("ampacity", wiring.conductor_size, *_installed(wiring, device_amps))
        return self.once(key, lambda: ampacity_behind(wiring, device_amps))

    def smallest(
        self, wiring: Wiring, device_amps: float, *, rounds_up: bool = True
    ) -> Size | None:
        """The smallest size that a device may protect; see `conductors.smallest_behind`."""
        key = ("smallest", rounds_up, *_installed(wiring, device_amps))
        return self.once(key, lambda: smallest_behind(wiring, device_amps, rounds_up=rounds_up))

    def panel_fed(self, feeder: Feeder) -> Panel | None:
        """The panel at a feeder's end; None where that is a transformer."""
        target = self.nodes[feeder.target_id]
        return target if isinstance(target, Panel) else None

    def demand(self, panel: Panel) -> Demand:
        """The calculated load of a panel by Article 220.

        Raises:
            Unknown: No circuit behind it has a load.
        """
        return self.once(("demand", panel.id), lambda: self._demand(panel))

    def _demand(self, panel: Panel) -> Demand:
        try:
            found = panel_demand(self.project, panel)
        except AgentError as error:
            raise Unknown(_last_part(error.field)) from error
        if found.calculation.connected_va <= 0:
            raise Unknown("loadWatts")
        return found

    def demand_amps(self, panel: Panel) -> float:
        """The current of a panel's calculated load in its heaviest line, A; raises as `demand`."""
        return self.demand(panel).heaviest_amps

    def allowed_by_310_12(self, panel: Panel, rating_amps: float, carries_amps: float) -> bool:
        """Whether 310.12 allows the conductors that supply a panel: all of one dwelling hangs on
        it, with one phase and 100 to 400 A, and they carry 83 % of the rating."""
        low, high = DWELLING_RANGE_A
        if not self.dwelling or panel.phases != 1 or not low <= rating_amps <= high:
            return False
        if self.project.building.dwelling_units > 1 or carries_amps < DWELLING_SHARE * rating_amps:
            return False
        return premises_of(self.project, panel).is_whole

    def fault_current(self, panel: Panel) -> float:
        """The available fault current at a panel, motors counted, A.

        Raises:
            Unknown: Something on the way to it is not recorded.
        """
        return self.once(("fault", panel.id), lambda: self._fault_current(panel))

    def _fault_current(self, panel: Panel) -> float:
        try:
            return fault_at(self.project, panel).amps
        except AgentError as error:
            raise Unknown(_last_part(error.field)) from error

    def volts_to_ground(self, panel: Panel) -> float:
        """The greatest voltage to ground in a panel, V.

        Raises:
            Unknown: Whether a system of three phases has a neutral is not recorded.
        """
        if panel.high_leg:
            return panel.voltage * 3**0.5 / 2
        if panel.phases == 1 or panel.wires == 4:
            return panel.line_to_neutral
        return panel.voltage if known(panel.wires, "wires") < 4 else panel.line_to_neutral

    def own_rules_protect(self, found: PanelCircuit) -> bool:
        """Whether 240.4(G) leaves a circuit's conductors to another article: motors, cooling,
        welders."""
        panel, circuit = found
        return circuit.load_type in MOTOR_LOADS or (panel.id, circuit.circuit_number) in self.motors


def _installed(wiring: Wiring, device_amps: float) -> tuple[Any, ...]:
    """All that the ampacity of a size depends on."""
    return (
        *(device_amps, wiring.conductor_material, wiring.conductor_sets, wiring.insulation),
        *(wiring.conduit_type, wiring.ambient_c, wiring.current_carrying_conductors),
        wiring.terminal_rating_c,
    )


def _last_part(field: str | None) -> str:
    """`lengthFt` of `feeders.f1.lengthFt`, so that places with the same gap count together."""
    if field is None:
        return "feeders"  # there is no way from the service
    kind, *rest = field.split(".")
    return field if kind == "service" or not rest else f"{kind}.{rest[-1]}"


def looked_up(work: Callable[[], T], field: str) -> T:
    """A look-up in the code's tables.

    Raises:
        Unknown: The tables do not have what the record says, so that `field` cannot be used.
    """
    try:
        return work()
    except AgentError as error:
        raise Unknown(field) from error


__all__ = ["Circuit", "Facts", "PanelCircuit", "looked_up"]
