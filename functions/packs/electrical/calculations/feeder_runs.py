"""The feeders between the service and a panel, as runs whose voltage drop adds to a circuit's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from packs.electrical.calculations.circuit_load import DEFAULT_POWER_FACTOR
from packs.electrical.calculations.supply import amps_of
from packs.electrical.calculations.voltage_drop import Run
from packs.electrical.nec.impedance import parse_conduit
from packs.electrical.projects.records import Feeder, Panel, Phases, Project, Transformer
from packs.electrical.projects.topology import Leg, path_to
from packs.electrical.results import Words
from rollcall.core.errors import AgentError
from rollcall.core.wording import isolated

DemandVa = Callable[[Panel], float]
"""What a panel, with all that it supplies, takes from its feeder, VA."""


@dataclass(frozen=True, slots=True)
class FeederRun:
    """A feeder on the way to a panel.

    Attributes:
        run: None where something that it takes is not known, or nothing flows.
        amps: Of the demand of all that it supplies; None where that is not known.
        missing: What is not known, in words.
    """

    feeder: Feeder
    volts: float
    phases: Phases
    run: Run | None
    amps: float | None
    missing: tuple[Words, ...]


def feeder_runs(project: Project, panel: Panel, demand_va: DemandVa) -> list[FeederRun]:
    """The feeders from the service equipment to a panel, in the order of the supply.

    Raises:
        FailedPrecondition: No chain of feeders leads to the panel.
    """
    return [_feeder_run(project, leg, demand_va) for leg in path_to(project, panel).legs]


def passes_transformer(project: Project, panel: Panel) -> bool:
    """Whether the way to a panel leads through a transformer.

    Raises:
        FailedPrecondition: No chain of feeders leads to the panel.
    """
    return any(isinstance(leg.target, Transformer) for leg in path_to(project, panel).legs)


def _feeder_run(project: Project, leg: Leg, demand_va: DemandVa) -> FeederRun:
    feeder, phases = leg.feeder, leg.target.phases
    volts = _source_volts(project, feeder)
    amps, missing = None, []
    try:
        supplied = sum(demand_va(panel) for panel in _panels_behind(project, leg.target))
        amps = amps_of(supplied, volts=volts, phases=phases)
    except AgentError as error:
        missing.append(_no_demand(feeder, error))
    if feeder.length_ft is None:
        missing.append(_no_length(feeder))
    if feeder.conductor_size is None:
        missing.append(_no_size(feeder))
    run = None
    if amps and feeder.length_ft is not None and feeder.conductor_size is not None:
        run = Run(
            amps=amps,
            volts=volts,
            phases=phases,
            length_ft=feeder.length_ft,
            size=feeder.conductor_size,
            material=feeder.conductor_material,
            conduit=parse_conduit(feeder.conduit_type) if feeder.conduit_type else "steel",
            sets=feeder.conductor_sets,
            power_factor=DEFAULT_POWER_FACTOR,
        )
    return FeederRun(feeder, volts, phases, run, amps, tuple(missing))


def _source_volts(project: Project, feeder: Feeder) -> float:
    """Volts between the lines where the feeder begins."""
    for transformer in project.transformers:
        if transformer.id == feeder.source_id:
            return transformer.secondary_voltage
    panel = project.panel(feeder.source_id)
    assert panel is not None  # a project's references lead somewhere
    return panel.voltage


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


def _no_length(feeder: Feeder) -> Words:
    return Words(
        en=f"the length of feeder {feeder.name} is not recorded",
        he=f"אורך קו ההזנה {isolated(feeder.name)} לא נרשם",
    )


def _no_size(feeder: Feeder) -> Words:
    return Words(
        en=f"the conductor size of feeder {feeder.name} is not recorded",
        he=f"חתך המוליכים של קו ההזנה {isolated(feeder.name)} לא נרשם",
    )


def _no_demand(feeder: Feeder, error: AgentError) -> Words:
    return Words(
        en=f"the demand on feeder {feeder.name} cannot be told: {error.message}",
        he=f"לא ניתן לחשב את הביקוש על קו ההזנה {isolated(feeder.name)}: {isolated(error.message)}",
    )
