"""A load calculation by Article 220: its premises, and its rows, each with its article."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from packs.electrical.calculations.loads.lines import Currents, System, magnitudes, scaled, total
from packs.electrical.nec.editions import Edition, article
from packs.electrical.nec.tables import FILES, Figure, table_note
from packs.electrical.projects.records import LoadType, Occupancy
from packs.electrical.results import Basis, CodeReference
from rollcall.core.texts import Text

Method = Literal["standard", "optional", "existing", "measured"]

SMALL_APPLIANCE_VA = 1500.0
"""Of each small-appliance circuit and of each laundry circuit (220.52)."""

CONTINUOUS_MORE = 0.25
"""The share that a continuous load counts beyond itself (215.2(A)(1), 230.42(A)(1))."""

LARGEST_MOTOR_MORE = 0.25
"""The share that the largest motor counts beyond itself (220.50, 430.24)."""

EVSE_LEAST_VA = 7200.0
"""220.57, from 2023 on."""


class Premises(Struct, frozen=True):
    """The building, or the part of it, that a load calculation is for.

    Attributes:
        floor_area_ft2: None where the panel serves a part, or the area is not known: lighting then
            counts by its circuits.
        small_appliance_circuits: The number in the building's record; None to count the circuits.
        is_whole: Whether the whole building is on this panel, so that the code's minimums for a
            dwelling apply.
        service_amps: The rating of the service or feeder, for the optional method.
        measured_peak_va: The measured maximum demand, VA, for the method "measured" (220.87).
    """

    edition: Edition
    occupancy: Occupancy
    system: System
    floor_area_ft2: float | None = None
    dwelling_units: int = 1
    small_appliance_circuits: int | None = None
    laundry_circuits: int | None = None
    is_whole: bool = True
    service_amps: float | None = None
    measured_peak_va: float | None = None

    @property
    def is_one_dwelling(self) -> bool:
        """Whether it is all of one dwelling unit, with one phase, as 310.12 requires."""
        return self.is_whole and self.is_one_family and self.system.phases == 1

    @property
    def is_one_family(self) -> bool:
        """Whether it is a dwelling of one unit."""
        return self.occupancy == "dwelling" and self.dwelling_units == 1

    def at(self, number: str) -> str:
        """The number of an article in this edition."""
        return article(number, self.edition)

    def cite(
        self, number: str, title: str | None = None, *, table: str | None = None
    ) -> CodeReference:
        """Refer to an article, and to its table."""
        return CodeReference(
            edition=self.edition,
            article=self.at(number),
            table=self.at(table) if table else None,
            title=title,
        )

    def evse_va(self, va: float) -> float:
        """The load of a charger: at least 7200 VA from 2023 on, its rating before (220.57)."""
        return max(va, EVSE_LEAST_VA) if self.edition >= 2023 else va


def figure_of(figure: Figure, basis: Basis) -> float:
    """Return a table's figure, with a warning where it was not verified for the edition."""
    if figure.note is not None:
        basis.warnings.append(figure.note)
    return figure.value


def warn_of_tables(keys: Iterable[str], edition: Edition, basis: Basis) -> None:
    """Warn of the tables that were not checked against the edition."""
    notes = (table_note(FILES[key], edition) for key in keys)
    basis.warnings += [note for note in notes if note is not None]


class Load(Struct, frozen=True):
    """One load as Article 220 counts it.

    Attributes:
        id: Of its circuit.
        name: Its circuit and panel.
        va: The connected load, VA; of a motor by the tables' current (430.6).
        drawn: Its current in each line of the calculated panel, A.
        is_new: Whether it is proposed and does not exist yet.
    """

    id: str
    name: str
    kind: LoadType
    va: float
    drawn: Currents
    continuous: bool = False
    is_motor: bool = False
    is_new: bool = False


class Step(Struct, frozen=True):
    """One row of a load calculation.

    Attributes:
        what: The loads, in words.
        connected_va: Their connected load, VA.
        demand_va: Their demand, VA; None where a later row counts it with others.
        drawn: The demand's current in each line, A; where a later row counts it, that of the
            connected load.
        is_part_of_above: Whether its connected load is already in rows above.
    """

    what: Text
    connected_va: float
    demand_va: float | None
    article: str
    table: str | None
    drawn: Currents
    is_part_of_above: bool = False

    @property
    def factor_percent(self) -> float | None:
        """The demand as a share of the connected load."""
        if self.demand_va is None or self.connected_va == 0:
            return None
        return 100 * self.demand_va / self.connected_va


class Calculation(Struct, frozen=True):
    """A whole load calculation of one panel or service."""

    method: Method
    system: System
    steps: tuple[Step, ...]
    basis: Basis

    @property
    def connected_va(self) -> float:
        """The whole connected load, VA."""
        return math.fsum(step.connected_va for step in self.steps if not step.is_part_of_above)

    @property
    def demand_va(self) -> float:
        """The calculated load, VA."""
        return math.fsum(step.demand_va or 0 for step in self.steps)

    @property
    def demand_amps(self) -> float:
        """The current of the calculated load if shared equally by the lines, A."""
        return self.system.amps(self.demand_va)

    @property
    def line_amps(self) -> tuple[float, ...]:
        """The current of each line, A."""
        counted = (step.drawn for step in self.steps if step.demand_va is not None)
        return magnitudes(total(self.system, counted))


def va_of(loads: Iterable[Load]) -> float:
    """The connected load of some loads together, VA."""
    return math.fsum(load.va for load in loads)


def of_kinds(loads: Iterable[Load], *kinds: LoadType) -> list[Load]:
    """The loads of these kinds."""
    return [load for load in loads if load.kind in kinds]


def connected(loads: Iterable[Load], *kinds: LoadType) -> list[Load]:
    """The loads of these kinds that are not 0 VA."""
    return [load for load in loads if load.kind in kinds and load.va]


def step(
    what: Text,
    loads: Sequence[Load],
    of: System,
    article: str,
    *,
    demand_va: float | None = None,
    table: str | None = None,
) -> Step:
    """Make a row that counts loads: in full, or as `demand_va`, shared by their lines in
    proportion."""
    va = va_of(loads)
    demand = va if demand_va is None else demand_va
    drawn = scaled(total(of, (load.drawn for load in loads)), demand / va if va else 0.0)
    return Step(what, va, demand, article, table, drawn)


def surcharge(what: Text, loads: Sequence[Load], of: System, share: float, article: str) -> Step:
    """Make a row that adds a share of loads counted above, such as 25 % of continuous loads."""
    row = step(what, loads, of, article, demand_va=va_of(loads) * share)
    return replace(row, is_part_of_above=True)


def listed(what: Text, va: float, of: System, article: str, drawn: Currents | None = None) -> Step:
    """Make a row that a later one counts with others."""
    return Step(what, va, None, article, None, drawn or (0j,) * of.lines)


def subtotal(
    what: Text,
    va: float,
    demand_va: float,
    drawn: Currents,
    article: str,
    *,
    table: str | None = None,
) -> Step:
    """Make a row that counts the rows listed above; `drawn` is that of the connected load."""
    factor = demand_va / va if va else 0.0
    return Step(what, va, demand_va, article, table, scaled(drawn, factor), True)
