"""The fault current at a panel of a project: from the service through feeders and transformers.

Missing data is refused by name; it is assumed only where this can only make the current larger.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic.alias_generators import to_camel

from packs.electrical.calculations.circuit_load import motor_amps
from packs.electrical.calculations.fault_current import (
    Conductors,
    Point,
    Windings,
    breaker_xr_ratio,
    check_voltage,
    from_infinite_bus,
    from_utility,
    through_conductors,
    through_transformer,
    transformer_xr,
)
from packs.electrical.nec.impedance import Conduit, c_figure, conduit_of
from packs.electrical.projects.records import Panel, Project, Service, Transformer, Wiring
from packs.electrical.projects.topology import downstream, path_to
from packs.electrical.results import Basis, Source
from packs.electrical.wording import TEXTS, invalid
from rollcall.core.errors import FailedPrecondition
from rollcall.core.texts import Text

MOTOR_FACTOR = 4
"""A running motor contributes about four times its full-load current at first."""

SERVICE_POINT = "service"

CABLE_V = 600
"""The class of the conductors whose C values and impedances (Chapter 9 Table 9) are used."""

LOW_VOLTAGE_V = 1000
"""Above it, conductors are of another class, with more insulation."""


class Motors(Struct, frozen=True):
    """The motors on a bus and downstream of it, which contribute to a fault there.

    Attributes:
        full_load_amps: The sum of their currents, at the voltage of the bus.
    """

    count: int
    full_load_amps: float

    @property
    def contribution_amps(self) -> float:
        return MOTOR_FACTOR * self.full_load_amps


class Fault(Struct, frozen=True):
    """The fault current at a panel, and its calculation.

    Attributes:
        points: The points from the service on; the last is the panel.
        lengths_ft: The one-way lengths of the conductors before each point; None without any.
    """

    panel: Panel
    points: tuple[Point, ...]
    lengths_ft: tuple[float | None, ...]
    motors: Motors
    basis: Basis

    @property
    def amps(self) -> float:
        """The highest symmetrical fault current at the panel, motors counted, A."""
        return self.points[-1].amps + self.motors.contribution_amps

    @property
    def xr_ratio(self) -> float:
        return self.points[-1].xr_ratio


class _Supply(Struct):
    """The points from the service so far, and the basis of their calculation.

    Attributes:
        stated: The names of the inputs that the question gives.
    """

    stated: frozenset[str]
    points: list[Point] = field(default_factory=list)
    lengths_ft: list[float | None] = field(default_factory=list)
    basis: Basis = field(default_factory=Basis)

    def add(self, point: Point, length_ft: float | None = None) -> None:
        self.points.append(point)
        self.lengths_ft.append(length_ft)

    def use(self, place: str, record: Any, units: dict[str, str | None]) -> None:
        """Note the known fields of a record, each with its unit."""
        data = record.dump()
        for name, unit in units.items():
            if name in data:
                full = f"{place}.{name}"
                source: Source = "argument" if full in self.stated else "project"
                self.basis.use(full, data[name], unit, source)

    def assume(self, name: str, value: Any, unit: str | None, key: str) -> None:
        """Note an assumption, with the key of its reason among this calculation's texts."""
        self.basis.assume(name, value, unit, TEXTS.text(f"calculations.short_circuit.{key}"))


def fault_at(
    project: Project,
    panel: Panel,
    stated: frozenset[str] = frozenset(),
    *,
    with_motors: bool = True,
) -> Fault:
    """Calculate the available fault current at a panel.

    Args:
        stated: The names of the inputs whose figures are those of a question: see `with_figures`.

    Raises:
        FailedPrecondition: Data is missing or does not fit together; `field` names it.
        InvalidArgument: A conductor is in no table.
    """
    supply = _Supply(stated)
    path = path_to(project, panel)
    supply.add(_source(supply, project.service))
    _service_conductors(supply, project.service, path.service_panel)
    for leg in path.legs:
        place = f"feeders.{leg.feeder.id}"
        run = _conductors(
            supply, place, leg.feeder, TEXTS.text("errors.feeder", name=leg.feeder.name)
        )
        target = leg.target
        end = through_conductors(supply.points[-1], target.name, run, target.phases)
        if isinstance(target, Transformer):
            supply.add(end, run.length_ft)
            windings = _windings(supply, target)
            supply.add(through_transformer(supply.points[-1], target.name, windings))
        else:
            check_voltage(end, target.voltage, TEXTS.text("errors.panel", name=target.name))
            supply.add(end, run.length_ft)
    motors = _motors(supply, project, panel) if with_motors else Motors(0, 0)
    return Fault(panel, tuple(supply.points), tuple(supply.lengths_ft), motors, supply.basis)


def with_figures(
    project: Project, panel: Panel, source: Mapping[str, Any], run: Mapping[str, Any]
) -> tuple[Project, frozenset[str]]:
    """Return the project with a question's figures in place of those recorded, and the names of
    these inputs.

    Args:
        source: Of the service's source, by its fields; None for a figure that is not stated.
        run: Of the conductors that supply the panel, in the same way.

    Raises:
        InvalidArgument: The question gives the fault current and a transformer in place of it.
        FailedPrecondition: No chain of feeders leads to the panel.
    """
    of_source = {name: value for name, value in source.items() if value is not None}
    of_run = {name: value for name, value in run.items() if value is not None}
    current = "available_fault_current_amps"
    if current in of_source and len(of_source) > 1:
        raise invalid("availableFaultCurrentAmps", "one_source")
    if of_source:  # a transformer instead of a current that is recorded
        of_source.setdefault(current, None)
    names = {f"service.{to_camel(name)}" for name in of_source}
    legs = path_to(project, panel).legs
    changes: dict[str, Any] = {}
    if legs:
        last = legs[-1].feeder
        changed = last.model_copy(update=of_run)
        changes["feeders"] = tuple(
            changed if each.id == last.id else each for each in project.feeders
        )
        names |= {f"feeders.{last.id}.{to_camel(name)}" for name in of_run}
    else:
        of_source |= of_run
        names |= {f"service.{to_camel(name)}" for name in of_run}
    changes["service"] = project.service.model_copy(update=of_source)
    return project.model_copy(update=changes), frozenset(names)


def _source(supply: _Supply, service: Service) -> Point:
    volts, phases = service.service_voltage, service.phases
    supply.use(SERVICE_POINT, service, {"serviceVoltage": "V", "phases": None})
    amps = service.available_fault_current_amps
    if amps is not None:
        units = {"availableFaultCurrentAmps": "A", "sourceXrRatio": None}
        supply.use(SERVICE_POINT, service, units)
        xr = service.source_xr_ratio
        if not xr:
            xr = round(breaker_xr_ratio(amps), 2)
            supply.assume("service.sourceXrRatio", xr, None, "source_xr")
        if phases == 1:
            name = "service.lineToNeutralFaultCurrentAmps"
            supply.assume(name, amps, "A", "same_to_neutral")
        return from_utility(SERVICE_POINT, amps, volts, phases, xr)
    kva, percent = service.utility_transformer_kva, service.utility_transformer_impedance_percent
    if kva is None:
        raise FailedPrecondition(
            TEXTS.text("errors.no_available_fault"),
            field="service.availableFaultCurrentAmps",
            hint=TEXTS.text("hints.ask_utility"),
        )
    if percent is None:
        raise FailedPrecondition(
            TEXTS.text("errors.no_utility_impedance", kva=kva),
            field="service.utilityTransformerImpedancePercent",
            hint=TEXTS.text("hints.on_utility_plate"),
        )
    units = {"utilityTransformerKva": "kVA", "utilityTransformerImpedancePercent": "%"}
    supply.use(SERVICE_POINT, service, {**units, "sourceXrRatio": None})
    xr = service.source_xr_ratio or _typical_xr(supply, "service.sourceXrRatio", kva)
    supply.assume("service.primaryFaultCurrent", "unlimited", None, "infinite_bus")
    supply.assume("transformerTolerance", 0.9, None, "tolerance")
    if phases == 1:
        supply.assume("lineToNeutralFactor", 1.5, None, "neutral_factor")
    return from_infinite_bus(SERVICE_POINT, Windings(kva, phases, volts, percent, xr))


def _service_conductors(supply: _Supply, service: Service, panel: Panel) -> None:
    """Add the service equipment, behind the service conductors. Unknown conductors are left out:
    they could only make the current smaller."""
    before = supply.points[-1]
    check_voltage(before, panel.voltage, TEXTS.text("errors.panel", name=panel.name))
    if service.conductor_size is not None and service.length_ft is not None:
        run = _conductors(supply, SERVICE_POINT, service, TEXTS.text("errors.service"))
        supply.add(through_conductors(before, panel.name, run, panel.phases), run.length_ft)
        return
    supply.assume("service.lengthFt", 0, "ft", "no_service_conductors")
    if panel.phases != before.phases:
        raise FailedPrecondition(
            TEXTS.text(
                "errors.phases_before_panel",
                name=panel.name,
                phases=panel.phases,
                service=before.phases,
            ),
            field="service.lengthFt",
        )
    supply.add(replace(before, name=panel.name, kind="conductors", f=0.0), 0)


def _conductors(supply: _Supply, place: str, wiring: Wiring, name: Text) -> Conductors:
    if wiring.conductor_size is None or wiring.length_ft is None:
        missing = "conductorSize" if wiring.conductor_size is None else "lengthFt"
        key = "errors.no_size_of" if wiring.conductor_size is None else "errors.no_length_of"
        raise FailedPrecondition(
            TEXTS.text(key, of=name),
            field=f"{place}.{missing}",
            hint=TEXTS.text("hints.add_to_project"),
        )
    fields = {"conductorSize": None, "conductorMaterial": None, "conductorSets": None}
    supply.use(place, wiring, {**fields, "lengthFt": "ft", "conduitType": None})
    if wiring.conduit_type is None:
        supply.assume(f"{place}.conduitType", "nonmagnetic", None, "nonmagnetic")
    conduit: Conduit = conduit_of(wiring.conduit_type or "pvc")
    c = c_figure(wiring.conductor_size, wiring.conductor_material, conduit)
    if c.note is not None:
        supply.basis.assume(f"{place}.cValue", c.value, "A·ft/V", c.note)
    if supply.points[-1].voltage_v > LOW_VOLTAGE_V:
        supply.assume(f"{place}.cableVoltage", CABLE_V, "V", "cable")
    return Conductors(
        wiring.conductor_size,
        wiring.conductor_material,
        conduit,
        wiring.length_ft,
        wiring.conductor_sets,
    )


def _windings(supply: _Supply, transformer: Transformer) -> Windings:
    place = f"transformers.{transformer.id}"
    if transformer.impedance_percent is None:
        raise FailedPrecondition(
            TEXTS.text("errors.no_impedance", name=transformer.name),
            field=f"{place}.impedancePercent",
            hint=TEXTS.text("hints.on_plate"),
        )
    volts = {"primaryVoltage": "V", "secondaryVoltage": "V"}
    units = {"kva": "kVA", "impedancePercent": "%", **volts, "xrRatio": None}
    supply.use(place, transformer, units)
    supply.assume("transformerTolerance", 0.9, None, "tolerance")
    if transformer.phases == 1:
        supply.assume("lineToNeutralFactor", 1.5, None, "neutral_factor")
    return Windings(
        transformer.kva,
        transformer.phases,
        transformer.secondary_voltage,
        transformer.impedance_percent,
        transformer.xr_ratio or _typical_xr(supply, f"{place}.xrRatio", transformer.kva),
        transformer.primary_voltage,
    )


def _typical_xr(supply: _Supply, name: str, kva: float) -> float:
    xr = transformer_xr(kva)
    supply.assume(name, xr, None, "transformer_xr")
    return xr


def _motors(supply: _Supply, project: Project, panel: Panel) -> Motors:
    """The motors on the panel and downstream of it; currents behind a transformer are converted."""
    volts = {each.id: each.voltage for each in downstream(project, panel)}
    connected = [motor for motor in project.motors if motor.panel_id in volts]
    if not connected:
        return Motors(0, 0)
    supply.assume("motorContributionFactor", MOTOR_FACTOR, "x full-load current", "motors")
    total = 0.0
    for motor in connected:
        amps = motor_amps(motor, by_nameplate=True)
        source: Source = "project" if motor.nameplate_amps else "table"
        supply.basis.use(f"motors.{motor.id}.fullLoadAmps", amps, "A", source)
        total += amps * volts[motor.panel_id] / panel.voltage
    return Motors(len(connected), total)
