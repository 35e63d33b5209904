"""A supply as a question would have it: what is asked stands in place of what is recorded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from packs.electrical.nec.sizes import Size
from packs.electrical.projects.records import Panel, Project
from packs.electrical.projects.topology import path_to
from packs.electrical.results import Input
from rollcall.core.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question gives. The length in feet, the size and the number of sets are those of the
    conductors that supply the panel."""

    available_fault_current_amps: float | None = None
    transformer_kva: float | None = None
    transformer_impedance_percent: float | None = None
    length_ft: float | None = None
    conductor_size: Size | None = None
    conductor_sets: int | None = None


class Changed(NamedTuple):
    """A project with a question's figures in it; `names` are those of the inputs that are not the
    project's own."""

    project: Project
    names: frozenset[str]


def with_asked(project: Project, panel: Panel, asked: Asked) -> Changed:
    """The project as the question would have it. Nothing is stored.

    Raises:
        InvalidArgument: The question gives the fault current and a transformer in place of it.
        FailedPrecondition: No chain of feeders leads to the panel.
    """
    source = _source(asked)
    run = {
        "length_ft": asked.length_ft,
        "conductor_size": asked.conductor_size,
        "conductor_sets": asked.conductor_sets,
    }
    run = {name: value for name, value in run.items() if value is not None}
    legs = path_to(project, panel).legs
    feeder = legs[-1].feeder if legs else None
    on_service = source | (run if feeder is None else {})
    changes: dict[str, Any] = {"service": project.service.model_copy(update=on_service)}
    names = {f"service.{_camel(name)}" for name in on_service}
    if feeder is not None:
        changed = feeder.model_copy(update=run)
        changes["feeders"] = tuple(
            changed if each.id == feeder.id else each for each in project.feeders
        )
        names |= {f"feeders.{feeder.id}.{_camel(name)}" for name in run}
    return Changed(project.model_copy(update=changes), frozenset(names))


def told(inputs: Iterable[Input], names: frozenset[str]) -> list[Input]:
    """The inputs, those that the question gave marked so."""
    return [
        each.model_copy(update={"source": "argument"}) if each.name in names else each
        for each in inputs
    ]


def _source(asked: Asked) -> dict[str, Any]:
    amps, kva = asked.available_fault_current_amps, asked.transformer_kva
    percent = asked.transformer_impedance_percent
    if amps is not None and (kva is not None or percent is not None):
        raise InvalidArgument(
            "give availableFaultCurrentAmps or the utility's transformer, not both",
            field="availableFaultCurrentAmps",
        )
    if amps is not None:
        return {"available_fault_current_amps": amps}
    found = {
        "utility_transformer_kva": kva,
        "utility_transformer_impedance_percent": percent,
    }
    given = {name: value for name, value in found.items() if value is not None}
    # a transformer is asked about instead of a current that is recorded
    return {**given, "available_fault_current_amps": None} if given else {}


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.title() for other in others)
