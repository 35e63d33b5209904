"""The ratings that limit a panel's load: bus, main breaker, conductors, transformer, service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from packs.electrical.calculations.conductors import ampacity_of, installation
from packs.electrical.calculations.fault_current import transformer_amps
from packs.electrical.nec.conductors import label
from packs.electrical.projects.records import Panel, Project, Transformer, Wiring
from packs.electrical.projects.topology import known_service_panel
from rollcall.core.errors import InvalidArgument

Element = Literal[
    "bus", "main_breaker", "service", "service_conductors", "feeder_breaker", "feeder_conductors",
    "transformer",
]  # fmt: skip

DWELLING_SHARE, DWELLING_RATINGS_A = 0.83, (100, 400)
"""310.12: conductors of a dwelling's service, or of the feeder that carries all of it, need this
share of its rating, between these ratings."""


class Limit(Struct, frozen=True):
    """One element and the current that it may carry, A.

    Attributes:
        name: Of the feeder or transformer, or the conductors' size.
    """

    element: Element
    amps: float
    name: str | None = None


def limits_of(project: Project, panel: Panel, *, whole_dwelling: bool = False) -> list[Limit]:
    """List the ratings that limit a panel's load, in amperes at the panel's voltage.

    Conductors of unknown size set no limit, nor do those of a dwelling that 310.12 allows.
    """
    service = known_service_panel(project)
    is_service = service.id == panel.id if service else panel.is_service_equipment
    if is_service:
        wiring, amps = project.service, project.service.service_amps
        conductors = _of_conductors(wiring, "service_conductors", amps, None, whole_dwelling)
        limits = [Limit("service", amps), *conductors]
    else:
        limits = list(_of_feeder(project, panel, whole_dwelling))
    if panel.main_breaker_amps is not None:
        limits.append(Limit("main_breaker", panel.main_breaker_amps))
    return [*limits, Limit("bus", panel.bus_rating)]


def allowed_by_310_12(rating_amps: float, ampacity: float) -> bool:
    """Return whether conductors of an ampacity, which carry the whole load of one dwelling, are
    enough for a rating."""
    low, high = DWELLING_RATINGS_A
    return low <= rating_amps <= high and ampacity >= DWELLING_SHARE * rating_amps


def conductor_amps(wiring: Wiring, rating_amps: float) -> float | None:
    """Return the ampacity of a feeder's or service's conductors as installed, A; None where their
    size is not known, or too hot for the insulation, which an inspection reports."""
    if wiring.conductor_size is None:
        return None
    try:
        return ampacity_of(wiring.conductor_size, installation(wiring, rating_amps)).amps
    except InvalidArgument:  # too hot for the insulation, or no such conductor in Table 310.16
        return None


def _of_feeder(project: Project, panel: Panel, whole_dwelling: bool) -> Iterator[Limit]:
    feeder = next((each for each in project.feeders if each.target_id == panel.id), None)
    if feeder is None:
        return
    transformer = next((each for each in project.transformers if each.id == feeder.source_id), None)
    rating = feeder.breaker_amps or panel.main_breaker_amps or panel.bus_rating
    if feeder.breaker_amps is not None:
        yield Limit("feeder_breaker", feeder.breaker_amps, feeder.name)
    yield from _of_conductors(feeder, "feeder_conductors", rating, feeder.name, whole_dwelling)
    if transformer is not None:
        yield from _of_transformer(project, transformer)


def _of_transformer(project: Project, transformer: Transformer) -> Iterator[Limit]:
    """The transformer and what feeds it, in amperes of its secondary."""
    rated = transformer_amps(transformer.kva, transformer.secondary_voltage, transformer.phases)
    yield Limit("transformer", rated, transformer.name)
    if transformer.secondary_breaker_amps is not None:
        yield Limit("feeder_breaker", transformer.secondary_breaker_amps, transformer.name)
    ratio = transformer.primary_voltage / transformer.secondary_voltage
    primary = next((each for each in project.feeders if each.target_id == transformer.id), None)
    breaker = transformer.primary_breaker_amps or (primary and primary.breaker_amps)
    name = primary.name if primary else transformer.name
    if breaker:
        yield Limit("feeder_breaker", breaker * ratio, name)
    amps = conductor_amps(primary, breaker or rated) if primary else None
    if amps is not None:
        yield Limit("feeder_conductors", amps * ratio, name)


def _of_conductors(
    wiring: Wiring, element: Element, rating: float, name: str | None, whole_dwelling: bool
) -> Iterator[Limit]:
    amps = conductor_amps(wiring, rating)
    if amps is None or wiring.conductor_size is None:
        return
    if whole_dwelling and allowed_by_310_12(rating, amps):
        return
    size = label(wiring.conductor_size)
    yield Limit(element, amps, f"{name}, {size}" if name else size)
