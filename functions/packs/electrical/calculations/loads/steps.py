"""A load calculation as a person checks it: row by row, each with its article."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from packs.electrical.calculations.loads.phases import (
    Currents,
    System,
    magnitudes,
    scaled,
    total,
)
from packs.electrical.projects.records import LoadType
from packs.electrical.results import Assumed, CodeReference, Words

Method = Literal["standard", "optional", "existing", "measured"]


@dataclass(frozen=True, slots=True)
class Load:
    """One load as Article 220 counts it.

    Attributes:
        id: Of its circuit.
        name: Its circuit and panel.
        va: As connected, VA; of a motor by the tables' current (430.6).
        drawn: Its current in each line of the panel that is calculated, A.
        is_new: It is proposed, and not there yet.
    """

    id: str
    name: str
    kind: LoadType
    va: float
    drawn: Currents
    continuous: bool = False
    is_motor: bool = False
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One row.

    Attributes:
        connected_va: What it looks at, VA.
        demand_va: What counts of it, VA; None where a later row counts it together with others.
        drawn: The demand's current in each line, A; of a row that is only listed, what is
            connected.
        is_part_of_above: Its connected load stands in rows above already.
    """

    what: Words
    connected_va: float
    demand_va: float | None
    article: str
    table: str | None
    drawn: Currents
    is_part_of_above: bool = False

    @property
    def factor_percent(self) -> float | None:
        """The demand as a share of what is connected."""
        if self.demand_va is None or self.connected_va == 0:
            return None
        return 100 * self.demand_va / self.connected_va


@dataclass(frozen=True, slots=True)
class Calculation:
    """A whole load calculation of one panel or service."""

    method: Method
    system: System
    steps: tuple[Step, ...]
    assumed: tuple[Assumed, ...] = ()
    warnings: tuple[Words, ...] = ()
    references: tuple[CodeReference, ...] = ()

    @property
    def connected_va(self) -> float:
        """Everything that is connected, VA."""
        return math.fsum(step.connected_va for step in self.steps if not step.is_part_of_above)

    @property
    def demand_va(self) -> float:
        """The calculated load, VA."""
        return math.fsum(step.demand_va or 0 for step in self.steps)

    @property
    def demand_amps(self) -> float:
        """Its current where the lines are loaded alike, A."""
        return self.system.amps(self.demand_va)

    @property
    def line_amps(self) -> tuple[float, ...]:
        """The current of each line, A."""
        counted = (step.drawn for step in self.steps if step.demand_va is not None)
        return magnitudes(total(self.system, counted))


def va_of(loads: Iterable[Load]) -> float:
    """What they are connected with together, VA."""
    return math.fsum(load.va for load in loads)


def of_kinds(loads: Iterable[Load], *kinds: LoadType) -> list[Load]:
    """Those of these kinds."""
    return [load for load in loads if load.kind in kinds]


def step(
    what: Words,
    loads: Sequence[Load],
    of: System,
    article: str,
    *,
    demand_va: float | None = None,
    table: str | None = None,
) -> Step:
    """A row that counts these loads: in full, or as `demand_va`, which falls on their lines in
    proportion."""
    connected = va_of(loads)
    demand = connected if demand_va is None else demand_va
    factor = demand / connected if connected else 0.0
    drawn = scaled(total(of, (load.drawn for load in loads)), factor)
    return Step(what, connected, demand, article, table, drawn)


def added(what: Words, loads: Sequence[Load], of: System, share: float, article: str) -> Step:
    """A row that counts a share of loads once more, such as the quarter of a continuous load."""
    found = step(what, loads, of, article, demand_va=va_of(loads) * share)
    return Step(what, found.connected_va, found.demand_va, article, None, found.drawn, True)


def listed(what: Words, va: float, of: System, article: str, drawn: Currents | None = None) -> Step:
    """A row that a later one counts together with others."""
    return Step(what, va, None, article, None, drawn or (0j,) * of.lines)


def together(
    what: Words,
    va: float,
    demand_va: float,
    drawn: Currents,
    article: str,
    *,
    table: str | None = None,
) -> Step:
    """A row that counts what was listed above; `drawn` is that of the connected load."""
    factor = demand_va / va if va else 0.0
    return Step(what, va, demand_va, article, table, scaled(drawn, factor), True)
