"""The facts of a project for inspection rules: its records by id, the supply of panels, loads,
currents, ampacities and fault currents, each calculated once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, TypeVar

from packs.electrical.calculations.circuit_load import (
    amps_of,
    household_range_watts,
    motor_amps,
    phases_of,
    volts_of,
)
from packs.electrical.calculations.conductors import (
    STANDARD_CONDUCTORS,
    Ampacity,
    Installation,
    ampacity_of,
    installation,
    is_nm,
    largest_breaker,
)
from packs.electrical.calculations.conductors import smallest_size as smallest_conductor
from packs.electrical.calculations.loads.limits import allowed_by_310_12
from packs.electrical.calculations.loads.methods import premises_of
from packs.electrical.calculations.loads.panel import feeder_circuits, panel_demand
from packs.electrical.calculations.requirements import CONTINUOUS, Requirement
from packs.electrical.calculations.short_circuit import fault_at
from packs.electrical.inspection.rule import RecordKind, Unknown, known
from packs.electrical.nec.conductors import Size, insulation_rating
from packs.electrical.nec.overcurrent import STANDARD_RATINGS, next_standard
from packs.electrical.projects.records import (
    Circuit,
    Feeder,
    Motor,
    Panel,
    PanelCircuit,
    Project,
    Transformer,
    Wiring,
)
from packs.electrical.projects.topology import ProjectIndex, known_service_panel
from rollcall.core.errors import AgentError, InvalidArgument

T = TypeVar("T")
MOTOR_LOADS = frozenset({"motor", "air_conditioning", "heat_pump", "welder"})
"""Loads whose conductors are protected by articles of their own (240.4(G))."""


class Facts(ProjectIndex):
    """The facts of a project, by its records and calculated from them.

    Attributes:
        panels: The inspected panels: the given ones, or all.
    """

    def __init__(self, project: Project, panels: Iterable[Panel] | None = None) -> None:
        super().__init__(project)
        self.project = project
        self.edition = project.edition
        self.panels = tuple(project.panels if panels is None else panels)
        self._results: dict[tuple[Any, ...], Any] = {}

    def once(self, key: tuple[Any, ...], work: Callable[[], T]) -> T:
        """Return the result of `work`, which runs once for each key, also where it raises
        Unknown."""
        if key not in self._results:
            try:
                self._results[key] = work()
            except Unknown as unknown:
                self._results[key] = unknown
        result = self._results[key]
        if isinstance(result, Unknown):
            raise Unknown(result.field)
        return result  # type: ignore[no-any-return]

    # Records

    def records(self, kind: RecordKind) -> list[Any]:
        """Return the inspected records of a kind.

        The service and its grounding (`project`) are inspected with the service panel; a feeder and
        the transformer before it with the panel at its end.
        """
        ids = {panel.id for panel in self.panels}
        is_whole = len(ids) == len(self.project.panels)
        if kind == "project":
            has_service = self.service_panel is not None and self.service_panel.id in ids
            return [self.project] if has_service or is_whole else []
        if kind == "panel":
            return list(self.panels)
        if kind == "circuit":
            return self.circuits
        if kind == "motor":
            return [motor for motor in self.project.motors if motor.panel_id in ids]
        feeders = [each for each in self.project.feeders if is_whole or each.target_id in ids]
        if kind == "feeder":
            return feeders
        sources = {feeder.source_id for feeder in feeders}
        return [each for each in self.project.transformers if is_whole or each.id in sources]

    @property
    def dwelling(self) -> bool:
        return self.project.building.occupancy == "dwelling"

    @cached_property
    def service_panel(self) -> Panel | None:
        """The service equipment; None if the project does not say which panel it is."""
        return known_service_panel(self.project)

    @cached_property
    def circuits(self) -> list[PanelCircuit]:
        """The circuits of the inspected panels, without spares and the breakers of feeders, which
        are inspected with the feeders."""
        circuits = []
        for panel in self.panels:
            breakers: set[str] = set()
            if panel.id in self.feeders_from:
                breakers = {each.id for each in feeder_circuits(self.project, panel).values()}
            for circuit in panel.circuits:
                if not circuit.is_spare and circuit.id not in breakers:
                    circuits.append(PanelCircuit(panel, circuit))
        return circuits

    @cached_property
    def all_circuits(self) -> list[Circuit]:
        """The circuits of the whole project, without spares."""
        circuits = (circuit for panel in self.project.panels for circuit in panel.circuits)
        return [circuit for circuit in circuits if not circuit.is_spare]

    def motors_downstream(self, node: str) -> list[Motor]:
        """Return the motors that are supplied through a panel or transformer at its own voltage."""

        def motors() -> list[Motor]:
            downstream = [motor for motor in self.project.motors if motor.panel_id == node]
            for feeder in self.feeders_from.get(node, []):
                if isinstance(self.nodes[feeder.target_id], Panel):
                    downstream += self.motors_downstream(feeder.target_id)
            return downstream

        return self.once(("motors", node), motors)

    def circuit_of(self, motor: Motor) -> PanelCircuit:
        """Return the circuit of a motor; a valid project has it."""
        panel = self.nodes[motor.panel_id]
        assert isinstance(panel, Panel)
        numbered = self.once(
            ("numbered", panel.id), lambda: {each.circuit_number: each for each in panel.circuits}
        )
        return PanelCircuit(panel, numbered[motor.circuit_number])

    # Supply

    def is_service(self, panel: Panel) -> bool:
        """Return whether the panel is the service equipment.

        Raises:
            Unknown: The project does not say which one is.
        """
        if panel.is_service_equipment:
            return True
        return known(self.service_panel, "service.panelId").id == panel.id

    def source_transformer(self, panel: Panel) -> Transformer | None:
        """Return the transformer that a panel's feeder comes from."""
        feeder = self.feeder_to.get(panel.id)
        source = self.nodes.get(feeder.source_id) if feeder else None
        return source if isinstance(source, Transformer) else None

    def target_panel(self, feeder: Feeder) -> Panel | None:
        """Return the panel at a feeder's end; None where that is a transformer."""
        target = self.nodes[feeder.target_id]
        return target if isinstance(target, Panel) else None

    def source_device(self, feeder: Feeder) -> float | None:
        """Return the rating of the device at a feeder's source, A, where one is recorded."""
        if feeder.breaker_amps is not None:
            return feeder.breaker_amps
        source = self.nodes.get(feeder.source_id)
        return source.secondary_breaker_amps if isinstance(source, Transformer) else None

    def is_open_secondary(self, feeder: Feeder) -> bool:
        """Return whether a feeder starts at a transformer with no device there (240.21(C))."""
        is_secondary = isinstance(self.nodes.get(feeder.source_id), Transformer)
        return is_secondary and self.source_device(feeder) is None

    def volts_to_ground(self, panel: Panel) -> float:
        """Return the greatest voltage to ground in a panel, V.

        Raises:
            Unknown: It is not recorded whether a three-phase system has a neutral.
        """
        if panel.high_leg:
            return panel.voltage * 3**0.5 / 2
        if panel.phases == 1 or panel.wires == 4:
            return panel.line_to_neutral
        return panel.voltage if known(panel.wires, "wires") < 4 else panel.line_to_neutral

    def fault_current(self, panel: Panel) -> float:
        """Return the available fault current at a panel, motors counted, A.

        Raises:
            Unknown: A figure of its supply is not recorded.
        """
        return self.once(
            ("fault", panel.id), lambda: _calculated(lambda: fault_at(self.project, panel)).amps
        )

    # Loads and currents

    def load_amps(self, at: PanelCircuit) -> float:
        """Return the current of a circuit's load, A; at unity, if no power factor is recorded.

        Raises:
            Unknown: No load is recorded.
        """
        return self._amps(at, at.circuit.load_watts)

    def load_amps_125(self, at: PanelCircuit) -> float:
        """Return 125 % of a circuit's load current, A; raises as `load_amps`."""
        return self.load_amps(at) * CONTINUOUS

    def circuit_amps(self, at: PanelCircuit) -> float:
        """Return the current that a circuit must be rated for, A: that of its load, or of Table
        220.55 for a household range; raises as `load_amps`."""
        watts = at.circuit.load_watts
        by_table = household_range_watts(self.project, at.circuit, watts)
        return self._amps(at, watts if by_table is None else by_table)

    def _amps(self, at: PanelCircuit, watts: float) -> float:
        if watts <= 0:
            raise Unknown("loadWatts")
        phases = phases_of(at.circuit.poles)
        factor = at.circuit.power_factor or 1.0
        return amps_of(
            watts, volts=volts_of(at.panel, at.circuit), phases=phases, power_factor=factor
        )

    def motor_amps(self, motor: Motor) -> float:
        """Return a motor's current of Tables 430.248 and 430.250, A; of a synchronous one, by its
        nameplate.

        Raises:
            Unknown: The tables have no such motor, or a synchronous one has no nameplate.
        """
        field = "motors.nameplateAmps" if motor.kind == "synchronous" else "motors.hp"
        return self.once(("motor", motor.id), lambda: in_table(lambda: motor_amps(motor), field))

    def demand_amps(self, panel: Panel) -> float:
        """Return the current of a panel's calculated load (Article 220) in its heaviest line, A.

        Raises:
            Unknown: No circuit that the panel supplies has a load.
        """

        def heaviest() -> float:
            demand = _calculated(lambda: panel_demand(self.project, panel))
            if demand.calculation.connected_va <= 0:
                raise Unknown("loadWatts")
            return demand.heaviest_amps

        return self.once(("demand", panel.id), heaviest)

    # Conductors

    def has_own_protection(self, at: PanelCircuit) -> bool:
        """Return whether 240.4(G) leaves a circuit's conductors to another article: motors,
        cooling, welders."""
        return at.circuit.load_type in MOTOR_LOADS or bool(self.motors_on(at))

    def ampacity(self, wiring: Wiring, device_amps: float) -> Ampacity:
        """Return the ampacity of recorded conductors behind a device of a rating, A.

        Raises:
            Unknown: The size or the insulation is not recorded, or in no table.
        """

        def ampacity() -> Ampacity:
            size = known(wiring.conductor_size, "conductorSize")
            try:
                return ampacity_of(size, known_installation(wiring, device_amps))
            except InvalidArgument as error:
                if error.field == "ambientC":  # too hot for the insulation: no ampacity
                    return Ampacity(0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
                raise Unknown("conductorSize") from error

        return self.once(
            ("ampacity", wiring.conductor_size, *_conditions(wiring, device_amps)), ampacity
        )

    def circuit_ampacity(self, at: PanelCircuit) -> float:
        """Return the ampacity of a circuit's conductors as installed, A; raises as `ampacity`."""
        return self.ampacity(at.circuit, at.circuit.breaker_amps).amps

    def terminal_ampacity(self, at: PanelCircuit) -> float:
        """Return the ampacity of a circuit's conductors at their terminations, before correction,
        A; raises as `ampacity`."""
        return self.ampacity(at.circuit, at.circuit.breaker_amps).terminal_amps

    def smallest_size(
        self, wiring: Wiring, device_amps: float, *, rounds_up: bool = True
    ) -> Size | None:
        """Return the smallest size, installed in the same way, that a device may protect, or None.

        Args:
            rounds_up: Whether the device may be the next standard rating above the ampacity
                (240.4(B)).

        Raises:
            Unknown: As `known_installation`.
        """

        def smallest() -> Size | None:
            amps = int(device_amps)
            how = known_installation(wiring, device_amps)
            need = Requirement(load_amps=1, required_amps=1, breaker_amps=amps, rounds_up=rounds_up)
            try:
                return smallest_conductor(how, need)
            except InvalidArgument as error:
                if error.field == "ambientC":  # too hot for the insulation, whatever the size
                    return None
                raise

        return self.once(("smallest", rounds_up, *_conditions(wiring, device_amps)), smallest)

    def allowed_by_310_12(self, panel: Panel, rating_amps: float, ampacity: float) -> bool:
        """Return whether 310.12 allows the conductors that supply a panel: the whole load of one
        dwelling, one phase, 100 to 400 A, and an ampacity of 83 % of the rating."""
        is_enough = allowed_by_310_12(rating_amps, ampacity)
        return is_enough and premises_of(self.project, panel).is_one_dwelling


def known_installation(wiring: Wiring, device_amps: float) -> Installation:
    """Return `installation` where the insulation is known, or does not matter.

    Raises:
        Unknown: A correction depends on the insulation, which is not recorded, or the tables do not
            have it.
    """
    name = wiring.insulation
    if name is not None and not is_nm(wiring):
        in_table(lambda: insulation_rating(name), "insulation")
    is_corrected = (
        wiring.ambient_c is not None
        or (wiring.current_carrying_conductors or 0) > STANDARD_CONDUCTORS
    )
    if name is None and is_corrected and not is_nm(wiring):
        raise Unknown("insulation")
    return installation(wiring, device_amps)


def _conditions(wiring: Wiring, device_amps: float) -> tuple[Any, ...]:
    """Return all conditions that the ampacity of a size depends on."""
    return (
        *(device_amps, wiring.conductor_material, wiring.conductor_sets, wiring.insulation),
        *(wiring.conduit_type, wiring.ambient_c, wiring.current_carrying_conductors),
        wiring.terminal_rating_c,
    )


def largest_device(ampacity: float, *, rounds_up: bool = True) -> float:
    """Return the largest device that may protect conductors of an ampacity, A (240.4(B), (C)).

    It is 0 for an ampacity of 0, where it is too hot for the insulation.

    Args:
        rounds_up: Whether it may be the next standard rating above the ampacity.
    """
    need = Requirement(load_amps=1, required_amps=1, rounds_up=rounds_up)
    return largest_breaker(ampacity, need, None) if ampacity > 0 else 0


def standard_device(amps: float) -> float:
    """Return the next standard rating of a device (240.6(A)); above the largest, the current
    itself."""
    return next_standard(amps) if amps <= STANDARD_RATINGS[-1] else amps


def in_table(look_up: Callable[[], T], field: str) -> T:
    """Look a record's value up in a table of the code.

    Raises:
        Unknown: The table does not have the value of `field`.
    """
    try:
        return look_up()
    except AgentError as error:
        raise Unknown(field) from error


def _calculated(work: Callable[[], T]) -> T:
    """Run a calculation; a field that it misses is Unknown.

    The field is named without the record's id (`feeders.lengthFt`), so that the gaps of several
    places count together.
    """
    try:
        return work()
    except AgentError as error:
        if error.field is None:
            raise Unknown("feeders") from error  # no path leads there from the service
        kind, *rest = error.field.split(".")
        is_whole = kind == "service" or not rest
        raise Unknown(error.field if is_whole else f"{kind}.{rest[-1]}") from error
