"""The fault current at a panel of a project: from the service through feeders and transformers.

What is missing is refused by name, unless leaving it out can only make the current larger: then it
is assumed, and said.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from packs.electrical.calculations.short_circuit import typical
from packs.electrical.calculations.short_circuit.chain import (
    Conductors,
    Point,
    Windings,
    check_voltage,
    from_infinite_bus,
    from_utility,
    through_conductors,
    through_transformer,
)
from packs.electrical.nec.c_values import c_figure
from packs.electrical.nec.impedance import Conduit, parse_conduit
from packs.electrical.nec.motors import full_load_amps
from packs.electrical.projects.records import Panel, Project, Service, Transformer, Wiring
from packs.electrical.projects.topology import downstream, path_to
from packs.electrical.results import Assumed, Input, Words
from rollcall.core.errors import FailedPrecondition
from rollcall.core.wording import isolated

MOTOR_FACTOR = 4
"""A motor that runs feeds a fault with about four times its full-load current at first."""

SERVICE_POINT = "service"

CABLE_V = 600
"""Of the conductors whose C values and impedances (Chapter 9 Table 9) are used."""

LOW_VOLTAGE_V = 1000
"""Above it conductors are of another class, with more insulation."""


@dataclass(frozen=True, slots=True)
class Motors:
    """Motors that feed a fault at a bus: on it, and on what it supplies.

    Attributes:
        full_load_amps: Together, at the voltage of the bus.
    """

    count: int
    full_load_amps: float

    @property
    def contribution_amps(self) -> float:
        return MOTOR_FACTOR * self.full_load_amps


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault current at a panel and how it came about.

    Attributes:
        points: From the service on; the last is the panel.
        lengths_ft: One way, of the conductors before each point; None where there are none.
    """

    panel: Panel
    points: tuple[Point, ...]
    lengths_ft: tuple[float | None, ...]
    motors: Motors
    inputs: tuple[Input, ...]
    assumptions: tuple[Assumed, ...]

    @property
    def amps(self) -> float:
        """The highest symmetrical fault current at the panel, motors counted, A."""
        return self.points[-1].amps + self.motors.contribution_amps

    @property
    def xr_ratio(self) -> float:
        return self.points[-1].xr_ratio


@dataclass(slots=True)
class _Walk:
    """What has been found on the way so far."""

    points: list[Point] = field(default_factory=list)
    lengths_ft: list[float | None] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    assumptions: list[Assumed] = field(default_factory=list)

    def add(self, point: Point, length_ft: float | None = None) -> None:
        self.points.append(point)
        self.lengths_ft.append(length_ft)

    def used(self, place: str, record: Any, names: dict[str, str | None]) -> None:
        """Note the fields of a record that are known, each with its unit."""
        data = record.dump()
        for name, unit in names.items():
            if name in data:
                self.inputs.append(Input(name=f"{place}.{name}", value=data[name], unit=unit))

    def assume(self, name: str, value: Any, unit: str | None, reason: Words) -> None:
        self.assumptions.append(Assumed(name, value, unit, reason))


def fault_at(project: Project, panel: Panel, *, with_motors: bool = True) -> Fault:
    """The available fault current at a panel.

    Raises:
        FailedPrecondition: Data is missing or does not fit together; `field` names it.
        InvalidArgument: A conductor is in no table.
    """
    walk = _Walk()
    path = path_to(project, panel)
    walk.add(_source(walk, project.service))
    _service_conductors(walk, project.service, path.service_panel)
    for leg in path.legs:
        place = f"feeders.{leg.feeder.id}"
        run = _conductors(walk, place, leg.feeder, f"feeder {leg.feeder.name!r}")
        target = leg.target
        end = through_conductors(walk.points[-1], target.name, run, target.phases)
        if isinstance(target, Transformer):
            walk.add(replace(end, name=f"{target.name} (primary)"), run.length_ft)
            windings = _windings(walk, target)
            walk.add(through_transformer(walk.points[-1], target.name, windings))
        else:
            check_voltage(end, target.voltage, f"panel {target.name!r}")
            walk.add(end, run.length_ft)
    motors = _motors(walk, project, panel) if with_motors else Motors(0, 0)
    return Fault(
        panel=panel,
        points=tuple(walk.points),
        lengths_ft=tuple(walk.lengths_ft),
        motors=motors,
        inputs=tuple(walk.inputs),
        assumptions=tuple({each.name: each for each in walk.assumptions}.values()),
    )


def _source(walk: _Walk, service: Service) -> Point:
    volts, phases = service.service_voltage, service.phases
    walk.used(SERVICE_POINT, service, {"serviceVoltage": "V", "phases": None})
    amps = service.available_fault_current_amps
    if amps is not None:
        walk.used(SERVICE_POINT, service, {"availableFaultCurrentAmps": "A", "sourceXrRatio": None})
        xr = service.source_xr_ratio or _assumed_source_xr(walk, amps)
        if phases == 1:
            walk.assume("service.lineToNeutralFaultCurrentAmps", amps, "A", _SAME_TO_NEUTRAL)
        return from_utility(SERVICE_POINT, amps, volts, phases, xr)
    kva, percent = service.utility_transformer_kva, service.utility_transformer_impedance_percent
    if kva is None:
        raise FailedPrecondition(
            "the fault current that the utility makes available is not known",
            field="service.availableFaultCurrentAmps",
            hint="ask the utility, or give its transformer's kVA and percent impedance",
        )
    if percent is None:
        raise FailedPrecondition(
            f"the percent impedance of the utility's transformer ({kva:g} kVA) is not known",
            field="service.utilityTransformerImpedancePercent",
            hint="it stands on the transformer's plate; the utility has it",
        )
    names = {"utilityTransformerKva": "kVA", "utilityTransformerImpedancePercent": "%"}
    walk.used(SERVICE_POINT, service, {**names, "sourceXrRatio": None})
    xr = service.source_xr_ratio or _assumed_transformer_xr(walk, "service.sourceXrRatio", kva)
    walk.assume("service.primaryFaultCurrent", "unlimited", None, _INFINITE_BUS)
    walk.assume("transformerTolerance", 0.9, None, _TOLERANCE)
    if phases == 1:
        walk.assume("lineToNeutralFactor", 1.5, None, _NEUTRAL_FACTOR)
    return from_infinite_bus(SERVICE_POINT, Windings(kva, phases, volts, percent, xr))


def _service_conductors(walk: _Walk, service: Service, panel: Panel) -> None:
    """From the utility's terminals to the service equipment. What is not known of them is left out:
    it could only make the current smaller."""
    before = walk.points[-1]
    check_voltage(before, panel.voltage, f"panel {panel.name!r}")
    if service.conductor_size is not None and service.length_ft is not None:
        run = _conductors(walk, SERVICE_POINT, service, "the service")
        walk.add(through_conductors(before, panel.name, run, panel.phases), run.length_ft)
        return
    walk.assume("service.lengthFt", 0, "ft", _NO_SERVICE_CONDUCTORS)
    if panel.phases != before.phases:
        raise FailedPrecondition(
            f"panel {panel.name!r} has {panel.phases} phase and the service {before.phases}: give "
            "the size and length of the service conductors",
            field="service.lengthFt",
        )
    walk.add(replace(before, name=panel.name, kind="conductors", f=0.0), 0)


def _conductors(walk: _Walk, place: str, wiring: Wiring, name: str) -> Conductors:
    if wiring.conductor_size is None or wiring.length_ft is None:
        missing = "conductorSize" if wiring.conductor_size is None else "lengthFt"
        what = "conductor size" if wiring.conductor_size is None else "length"
        raise FailedPrecondition(
            f"the {what} of {name} is not known",
            field=f"{place}.{missing}",
            hint="add it to the project, or ask with a value for it",
        )
    fields = {"conductorSize": None, "conductorMaterial": None, "conductorSets": None}
    walk.used(place, wiring, {**fields, "lengthFt": "ft", "conduitType": None})
    if wiring.conduit_type is None:
        walk.assume(f"{place}.conduitType", "nonmagnetic", None, _NONMAGNETIC)
    conduit: Conduit = parse_conduit(wiring.conduit_type or "pvc")
    c = c_figure(wiring.conductor_size, wiring.conductor_material, conduit)
    if c.note is not None:
        walk.assume(f"{place}.cValue", c.value, "A·ft/V", c.note)
    if walk.points[-1].voltage_v > LOW_VOLTAGE_V:
        walk.assume(f"{place}.cableVoltage", CABLE_V, "V", _CABLE)
    return Conductors(
        wiring.conductor_size,
        wiring.conductor_material,
        conduit,
        wiring.length_ft,
        wiring.conductor_sets,
    )


def _windings(walk: _Walk, transformer: Transformer) -> Windings:
    place = f"transformers.{transformer.id}"
    if transformer.impedance_percent is None:
        raise FailedPrecondition(
            f"the percent impedance of transformer {transformer.name!r} is not known",
            field=f"{place}.impedancePercent",
            hint="it stands on the transformer's plate",
        )
    volts = {"primaryVoltage": "V", "secondaryVoltage": "V"}
    walk.used(place, transformer, {"kva": "kVA", "impedancePercent": "%", **volts, "xrRatio": None})
    walk.assume("transformerTolerance", 0.9, None, _TOLERANCE)
    if transformer.phases == 1:
        walk.assume("lineToNeutralFactor", 1.5, None, _NEUTRAL_FACTOR)
    return Windings(
        transformer.kva,
        transformer.phases,
        transformer.secondary_voltage,
        transformer.impedance_percent,
        transformer.xr_ratio or _assumed_transformer_xr(walk, f"{place}.xrRatio", transformer.kva),
        transformer.primary_voltage,
    )


def _motors(walk: _Walk, project: Project, panel: Panel) -> Motors:
    """Motors on the panel and below it. A current behind a transformer counts at this voltage."""
    volts = {each.id: each.voltage for each in downstream(project, panel)}
    connected = [motor for motor in project.motors if motor.panel_id in volts]
    if not connected:
        return Motors(0, 0)
    walk.assume("motorContributionFactor", MOTOR_FACTOR, "x full-load current", _MOTORS)
    total = 0.0
    for motor in connected:
        amps = motor.nameplate_amps or full_load_amps(motor.hp, motor.voltage, motor.phases)
        walk.inputs.append(
            Input(
                name=f"motors.{motor.id}.fullLoadAmps",
                value=amps,
                unit="A",
                source="project" if motor.nameplate_amps else "table",
            )
        )
        total += amps * volts[motor.panel_id] / panel.voltage
    return Motors(len(connected), total)


def _assumed_source_xr(walk: _Walk, amps: float) -> float:
    found = round(typical.source_xr(amps), 2)
    walk.assume("service.sourceXrRatio", found, None, _SOURCE_XR)
    return found


def _assumed_transformer_xr(walk: _Walk, name: str, kva: float) -> float:
    found = typical.transformer_xr(kva)
    walk.assume(name, found, None, _TRANSFORMER_XR)
    return found


_XR = isolated("X/R")
_INFINITE_BUS = Words(
    "The utility's primary is taken as unlimited, which gives the highest current",
    "רשת המתח הגבוה נחשבת בלתי מוגבלת, וזה נותן את הזרם הגבוה ביותר",
)
_TOLERANCE = Words(
    "Listed transformers may have 10 % less impedance than their plate says",
    f"עכבתו של שנאי תקני יכולה להיות נמוכה ב-{isolated('10%')} מהרשום על השלט שלו",
)
_NEUTRAL_FACTOR = Words(
    "At the terminals of a single-phase transformer with a centre tap the fault to the neutral is "
    "1.5 times that between lines",
    "בהדקי שנאי חד-פאזי עם סנף מרכזי זרם הקצר לאפס גדול פי 1.5 מזה שבין הפאזות",
)
_SAME_TO_NEUTRAL = Words(
    "The utility's figure is taken as the highest of all faults, so also to the neutral",
    "הנתון של חברת החשמל נחשב הגבוה מכל סוגי הקצר, גם לאפס",
)
_NO_SERVICE_CONDUCTORS = Words(
    "Size or length of the service conductors is not known: the current at the utility's terminals "
    "is used undiminished, which is the safe side for interrupting ratings",
    "חתך או אורך מוליכי החיבור אינם ידועים: הזרם בהדקי חברת החשמל נלקח ללא הפחתה, לצד הבטוח "
    "מבחינת כושר הניתוק",
)
_NONMAGNETIC = Words(
    "The conduit is not known: a nonmagnetic one has less impedance and gives more current",
    "סוג הצינור אינו ידוע: לצינור לא מגנטי עכבה נמוכה יותר והוא נותן זרם גבוה יותר",
)
_CABLE = Words(
    "C value and impedance are those of 600 V conductors; thicker insulation sets conductors of a "
    "higher voltage further apart, so that their reactance is higher and the current no larger",
    f"ערך {isolated('C')} והעכבה הם של מוליכים ל-{isolated('600 V')}; במתח גבוה יותר הבידוד עבה "
    "והמוליכים מרוחקים, ולכן ההיגב גבוה יותר והזרם אינו גדול יותר",
)
_MOTORS = Words(
    "Motors on the bus and below it are taken as running and feed the fault with 4 times their "
    "full-load current",
    "המנועים שעל הפס ומתחתיו נחשבים פועלים ומזינים את הקצר בפי 4 מזרמם הנקוב",
)
_SOURCE_XR = Words(
    "X/R of the supply is not known: that at which breakers for this current are tested; only "
    "asymmetry depends on it",
    f"יחס {_XR} של ההזנה אינו ידוע: נלקח זה שבו נבדקים מפסקים לזרם כזה; רק האסימטריה תלויה בו",
)
_TRANSFORMER_XR = Words(
    "X/R of the transformer is not known: typical of its size; only asymmetry depends on it",
    f"יחס {_XR} של השנאי אינו ידוע: נלקח ערך אופייני לגודלו; רק האסימטריה תלויה בו",
)
