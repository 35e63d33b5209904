"""Voltage drop of a circuit and of the feeders before it, by two methods.

Sources: NEC Chapter 9 Table 9 with its note 2 (effective impedance R cos + X sin), Table 8 (direct-
current resistance). The limits of 3 % in a branch circuit and 5 % with its feeders are those of the
informational notes of NEC 210.19 and 215.2: recommended, not required.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from packs.electrical.calculations.circuit_load import (
    DEFAULT_POWER_FACTOR,
    amps_of,
    amps_of_watts,
    load_of,
    power_factor_of,
)
from packs.electrical.calculations.conductors import SMALLEST_IN_PARALLEL
from packs.electrical.calculations.loads.panel import panel_demand
from packs.electrical.nec.conductors import SIZES, Material, Size, rank
from packs.electrical.nec.impedance import (
    TABLE_TEMPERATURE_C,
    Conduit,
    Impedance,
    ac_impedance,
    conduit_of,
    dc_resistance,
)
from packs.electrical.projects.records import (
    ConduitType,
    Feeder,
    Panel,
    PanelCircuit,
    Phases,
    Project,
    Transformer,
)
from packs.electrical.projects.topology import Leg, path_to
from packs.electrical.results import Basis, Source
from packs.electrical.wording import TEXTS, invalid, unmarked
from rollcall.core.errors import AgentError, InvalidArgument
from rollcall.core.texts import Text

Method = Literal["exact", "approximate"]
"""exact: R cos + X sin of Table 9. approximate: K / circular mils, that is Table 8's resistance
alone."""

METHODS: tuple[Method, ...] = ("exact", "approximate")
BRANCH_LIMIT_PERCENT = 3.0
TOTAL_LIMIT_PERCENT = 5.0
SMALLEST = "14"


class Run(Struct, frozen=True):
    """Conductors from one point to another, and the current in them.

    Attributes:
        amps: The load's current, in all parallel sets together.
        volts: The voltage at the sending end: between lines, or to neutral for such a load.
        length_ft: The length one way.
        sets: The conductors in parallel for each line.
        power_factor: That of the load, lagging.

    Raises:
        InvalidArgument: A figure is not above zero, or the power factor above 1.
    """

    amps: float
    volts: float
    phases: Phases
    length_ft: float
    size: Size
    material: Material
    conduit: Conduit = "steel"
    sets: int = 1
    power_factor: float = 0.9

    def __post_init__(self) -> None:
        fields = {
            "loadAmps": self.amps,
            "voltage": self.volts,
            "lengthFt": self.length_ft,
            "powerFactor": self.power_factor,
        }
        for field, value in fields.items():
            if not math.isfinite(value) or value <= 0:
                raise invalid(field, "above_zero", field=field, value=value)
        if self.power_factor > 1:
            raise invalid("powerFactor", "power_factor", power_factor=self.power_factor)


class Drop(Struct, frozen=True):
    """The voltage drop of a run.

    Attributes:
        volts: The drop between lines or to neutral, as `Run.volts`.
        percent: The drop as a share of the voltage at the sending end.
        receiving_volts: The voltage at the load; 0 where the run cannot carry the current.
        impedance: That of one conductor of one set, ohm per 1000 ft.
    """

    volts: float
    percent: float
    receiving_volts: float
    impedance: Impedance


def drop(run: Run, method: Method = "exact") -> Drop:
    """Calculate the voltage drop of a run: in both conductors with one phase, between lines with
    three. It is proportional to the current, and may be above the voltage.

    Raises:
        InvalidArgument: The method's table has no such conductor.
    """
    impedance = impedance_of(run, method)
    ways = 2.0 if run.phases == 1 else math.sqrt(3)
    ohms = impedance.r_ohm_per_kft
    if method == "exact":
        sine = math.sqrt(1 - run.power_factor**2)
        ohms = ohms * run.power_factor + impedance.x_ohm_per_kft * sine
    lost = ways * run.amps / run.sets * run.length_ft / 1000 * ohms
    percent = 100 * lost / run.volts
    return Drop(lost, percent, max(run.volts - lost, 0.0), impedance)


def within(percent: float, limit: float) -> bool:
    """Return whether a drop is within a limit, with a tolerance for rounding."""
    return percent <= limit + 1e-9


def impedance_of(run: Run, method: Method) -> Impedance:
    """Return the resistance and reactance by a method, at the tables' 75 °C.

    Raises:
        InvalidArgument: The method's table has no such conductor.
    """
    if method == "approximate":
        return Impedance(dc_resistance(run.size, run.material), 0.0)
    return ac_impedance(run.size, run.material, run.conduit)


def smallest_size(run: Run, limit_percent: float, method: Method = "exact") -> Size | None:
    """Find the smallest size that keeps the drop within a limit, with as many sets in parallel.

    Returns None if no size of the method's table does.
    """
    for size in sizes_of(run.material, method):
        if run.sets > 1 and rank(size) < rank(SMALLEST_IN_PARALLEL):
            continue
        if within(drop(replace(run, size=size), method).percent, limit_percent):
            return size
    return None


def headroom(run: Run, limit_percent: float, method: Method = "exact") -> float:
    """Return the factor on length or current at which the drop reaches a limit: 0.5 means half the
    length, or half the current."""
    return max(limit_percent, 0.0) / drop(run, method).percent


@cache
def sizes_of(material: Material, method: Method) -> tuple[Size, ...]:
    """Return the sizes that a method's table has for a material, from 14 AWG, ascending."""
    sizes = []
    for size in SIZES[SIZES.index(SMALLEST) :]:
        try:
            if method == "approximate":
                dc_resistance(size, material)
            else:
                ac_impedance(size, material, "steel")
        except InvalidArgument:
            continue
        sizes.append(size)
    return tuple(sizes)


class FeederDrop(Struct, frozen=True):
    """A feeder on the way to a panel, and its voltage drop, which adds to that of a circuit.

    Attributes:
        run: None where a figure of the feeder is not known, or no current flows.
        amps: The current of the demand downstream; None where that is not known.
        missing: The unknown figures, as texts.
        lost_volts: The drop, as `percent`; None where it is not known.
    """

    feeder: Feeder
    volts: float
    phases: Phases
    run: Run | None
    amps: float | None
    missing: tuple[Text, ...]
    lost_volts: float | None
    percent: float | None


def feeder_drops(project: Project, panel: Panel, method: Method) -> tuple[FeederDrop, ...]:
    """Calculate the drops of the feeders from the service equipment to a panel, in the order of the
    supply.

    Raises:
        FailedPrecondition: No chain of feeders leads to the panel.
    """
    return tuple(_feeder_drop(project, leg, method) for leg in path_to(project, panel).legs)


def passes_transformer(project: Project, panel: Panel) -> bool:
    """Return whether the supply of a panel passes a transformer.

    Raises:
        FailedPrecondition: No chain of feeders leads to the panel.
    """
    return any(isinstance(leg.target, Transformer) for leg in path_to(project, panel).legs)


def _feeder_drop(project: Project, leg: Leg, method: Method) -> FeederDrop:
    feeder, phases = leg.feeder, leg.target.phases
    secondaries = {each.id: each.secondary_voltage for each in project.transformers}
    panels = {panel.id: panel.voltage for panel in project.panels}
    volts = (secondaries | panels)[feeder.source_id]
    texts, name = "calculations.voltage_drop", unmarked(feeder.name)
    amps, missing = None, []
    try:
        behind = _panels_behind(project, leg.target)
        supplied = sum(panel_demand(project, panel).demand_va for panel in behind)
        amps = amps_of(supplied, volts=volts, phases=phases)
    except AgentError as error:
        missing.append(TEXTS.text(f"{texts}.feeder_demand", name=name, reason=error.text))
    if feeder.length_ft is None:
        missing.append(TEXTS.text(f"{texts}.feeder_length", name=name))
    if feeder.conductor_size is None:
        missing.append(TEXTS.text(f"{texts}.feeder_size", name=name))
    run, lost_volts, percent = None, None, None
    if amps and feeder.length_ft is not None and feeder.conductor_size is not None:
        run = Run(
            amps=amps,
            volts=volts,
            phases=phases,
            length_ft=feeder.length_ft,
            size=feeder.conductor_size,
            material=feeder.conductor_material,
            conduit=conduit_of(feeder.conduit_type) if feeder.conduit_type else "steel",
            sets=feeder.conductor_sets,
            power_factor=DEFAULT_POWER_FACTOR,
        )
        lost = drop(run, method)
        lost_volts, percent = lost.volts, lost.percent
    elif amps == 0 and not missing:
        lost_volts = percent = 0.0
    return FeederDrop(feeder, volts, phases, run, amps, tuple(missing), lost_volts, percent)


def _panels_behind(project: Project, target: Panel | Transformer) -> Iterator[Panel]:
    """The panel itself, or the first ones behind a transformer."""
    if isinstance(target, Panel):
        yield target
        return
    transformers = {transformer.id: transformer for transformer in project.transformers}
    for feeder in project.feeders:
        if feeder.source_id == target.id:
            behind = project.panel(feeder.target_id) or transformers[feeder.target_id]
            yield from _panels_behind(project, behind)


class Study(Struct, frozen=True):
    """A circuit's voltage drop: its own, that of its feeders, and the figures that would comply.

    Attributes:
        by_method: The drop in percent by each method whose table has the conductor.
        feeders: In the order of the supply; None where the path from the service is not known.
        total_percent: The drop with all feeders; None where one is not known.
        allowed_percent: The limit of the branch circuit: 3 %, or less where the feeders leave less
            of the 5 %.
        smallest_size: The smallest by voltage drop alone; None if no size is enough.
        greatest_length_ft: The longest run one way, at this size and load.
        greatest_amps: The largest load, at this size and length.
    """

    run: Run
    method: Method
    drop: Drop
    by_method: dict[Method, float]
    feeders: tuple[FeederDrop, ...] | None
    total_percent: float | None
    allowed_percent: float
    smallest_size: Size | None
    greatest_length_ft: float
    greatest_amps: float

    @property
    def compliant(self) -> bool:
        """Whether the branch circuit is within 3 %."""
        return within(self.drop.percent, BRANCH_LIMIT_PERCENT)

    @property
    def total_compliant(self) -> bool | None:
        """Whether it is within 5 % with its feeders; None if these are not known."""
        if self.total_percent is None:
            return None
        return within(self.total_percent, TOTAL_LIMIT_PERCENT)


def study(run: Run, feeders: tuple[FeederDrop, ...] | None, method: Method = "exact") -> Study:
    """Study the voltage drop of a run and of the feeders before it.

    Raises:
        InvalidArgument: The method's table has no such conductor.
    """
    lost = drop(run, method)
    upstream = None
    if feeders is not None and all(each.percent is not None for each in feeders):
        upstream = sum(each.percent or 0 for each in feeders)
    allowed = BRANCH_LIMIT_PERCENT
    if upstream is not None:
        allowed = max(min(allowed, TOTAL_LIMIT_PERCENT - upstream), 0.0)
    by_method: dict[Method, float] = {}
    for each in METHODS:
        try:
            by_method[each] = drop(run, each).percent
        except InvalidArgument:  # its table has other sizes
            continue
    more = headroom(run, allowed, method)
    return Study(
        run=run,
        method=method,
        drop=lost,
        by_method=by_method,
        feeders=feeders,
        total_percent=None if upstream is None else upstream + lost.percent,
        allowed_percent=allowed,
        smallest_size=smallest_size(run, allowed, method) if allowed > 0 else None,
        greatest_length_ft=run.length_ft * more,
        greatest_amps=run.amps * more,
    )


def circuit_run(project: Project, branch: PanelCircuit, basis: Basis) -> Run:
    """Return the run of a circuit.

    Raises:
        InvalidArgument: Its length, its size or its load is not known.
    """
    circuit = branch.circuit
    length_ft, size = circuit.length_ft, circuit.conductor_size
    if length_ft is None:
        raise invalid("lengthFt", "no_length_recorded", circuit=branch.text)
    if size is None:
        raise invalid("conductorSize", "no_size_recorded", circuit=branch.text)
    power_factor = power_factor_of(circuit.power_factor, circuit.load_type, basis)
    load = load_of(project, branch, basis, by_nameplate=True)
    run = Run(
        amps=load.amps,
        volts=load.volts,
        phases=load.phases,
        length_ft=length_ft,
        size=size,
        material=circuit.conductor_material,
        conduit=_conduit(circuit.conduit_type, basis),
        sets=circuit.conductor_sets,
        power_factor=power_factor,
    )
    _use_run(run, circuit.conduit_type, branch.stated, basis, load.input_source)
    return run


def stated_run(figures: Mapping[str, Any], basis: Basis) -> Run:
    """Return the run of a question's figures alone.

    Args:
        figures: By the names of a circuit's fields, `load_amps` and `phases`; None for an unknown
            one.

    Raises:
        InvalidArgument: The question leaves out the voltage, the length, the size or the load.
    """
    stated = {name: value for name, value in figures.items() if value is not None}
    needed = {"voltage": "voltage", "length_ft": "lengthFt", "conductor_size": "conductorSize"}
    if missing := [name for field, name in needed.items() if field not in stated]:
        raise _incomplete(missing)
    volts, phases = stated["voltage"], stated.get("phases", 1)
    factor = stated.get("power_factor")
    power_factor = power_factor_of(factor, None, basis)
    if "load_watts" in stated:
        amps = amps_of_watts(stated["load_watts"], volts, phases, factor, basis)
    elif "load_amps" in stated:
        amps = stated["load_amps"]
    else:
        raise _incomplete(["loadAmps"])
    run = Run(
        amps=amps,
        volts=volts,
        phases=phases,
        length_ft=stated["length_ft"],
        size=stated["conductor_size"],
        material=stated.get("conductor_material", "copper"),
        conduit=_conduit(stated.get("conduit_type"), basis),
        sets=stated.get("conductor_sets", 1),
        power_factor=power_factor,
    )
    if "conductor_material" not in stated:
        reason = TEXTS.text("calculations.voltage_drop.no_material")
        basis.assume("conductorMaterial", "copper", None, reason)
    if "phases" not in stated:
        basis.assume("phases", 1, None, TEXTS.text("calculations.voltage_drop.no_phases"))
    _use_run(run, stated.get("conduit_type"), stated, basis, None)
    return run


def _incomplete(missing: list[str]) -> InvalidArgument:
    return invalid(
        missing[0] if len(missing) == 1 else "circuitNumber",
        "which_circuit_to_compare",
        missing=", ".join(missing),
    )


def _conduit(raceway: ConduitType | None, basis: Basis) -> Conduit:
    if raceway is not None:
        return conduit_of(raceway)
    basis.assume("conduitType", "emt", None, TEXTS.text("calculations.voltage_drop.no_raceway"))
    return "steel"


def _use_run(
    run: Run,
    raceway: ConduitType | None,
    stated: Collection[str],
    basis: Basis,
    load_source: Source | None,
) -> None:
    """Note the run's figures as inputs.

    Args:
        load_source: The source of the circuit's current; None for a run without a circuit.
    """
    figures = (
        ("voltage", round(run.volts, 2), "V"),
        ("phases", run.phases, None),
        ("length_ft", round(run.length_ft, 2), "ft"),
        ("conductor_size", run.size, None),
        ("conductor_material", run.material, None),
        ("conductor_sets", run.sets, None),
        ("power_factor", run.power_factor, None),
        ("conduit_type", raceway, None),
    )
    basis.use("loadAmps", round(run.amps, 3), "A", load_source or "argument")
    basis.use_all(figures, stated, recorded=load_source is not None)
    reason = TEXTS.text("calculations.voltage_drop.conductor_temperature")
    basis.assume("conductorTemperatureC", TABLE_TEMPERATURE_C, "°C", reason)
