"""What a load calculation knows beside the loads: whose they are, and what the building says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from packs.electrical.calculations.loads.phases import System
from packs.electrical.nec.editions import Edition, article
from packs.electrical.nec.figures import Figure, standing
from packs.electrical.nec.tables import FILES
from packs.electrical.projects.records import Occupancy
from packs.electrical.results import Assumed, CodeReference, Words

SMALL_APPLIANCE_VA = 1500.0
"""Of each small-appliance circuit and of each laundry circuit (220.52)."""

CONTINUOUS_MORE = 0.25
"""What a continuous load counts beyond itself (215.2(A)(1), 230.42(A)(1))."""

LARGEST_MOTOR_MORE = 0.25
"""What the largest motor counts beyond itself (220.50, 430.24)."""

EVSE_LEAST_VA = 7200.0
"""220.57, from 2023 on."""


@dataclass(frozen=True, slots=True)
class Premises:
    """What is served.

    Attributes:
        floor_area_ft2: Of what is served; None where the panel serves a part, or it is not known:
            lighting then counts by its circuits.
        small_appliance_circuits: As the building says, None to count the circuits.
        is_whole: Everything of the dwelling hangs on this panel, so that the code's minimums for a
            dwelling apply to it.
        service_amps: Of the service or feeder, where a method asks for it.
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

    @property
    def is_one_dwelling(self) -> bool:
        """All of one dwelling unit, with one phase: what 310.12 is for."""
        one = self.occupancy == "dwelling" and self.dwelling_units == 1
        return self.is_whole and one and self.system.phases == 1

    def at(self, number: str) -> str:
        """An article of Article 220 under its number in this edition."""
        return article(number, self.edition)

    def cite(
        self, number: str, title: str | None = None, *, table: str | None = None
    ) -> CodeReference:
        """A reference to an article, and to its table."""
        return CodeReference(
            edition=self.edition,
            article=self.at(number),
            table=self.at(table) if table else None,
            title=title,
        )


class Notes:
    """What a calculation gathers to say beside its figures."""

    def __init__(self) -> None:
        self.assumed: list[Assumed] = []
        self.warnings: list[Words] = []
        self.references: list[CodeReference] = []

    def value(self, figure: Figure) -> float:
        """A table's figure; its note becomes a warning where it is not verified."""
        if figure.note is not None and not figure.verified:
            self.warnings.append(figure.note)
        return figure.value

    def tables(self, keys: Iterable[str], edition: Edition) -> None:
        """Warn of those tables, by their keys, that were not checked against the edition."""
        notes = (standing(FILES[key], edition).note for key in keys)
        self.warnings += [note for note in notes if note is not None]


def evse_va(va: float, premises: Premises) -> float:
    """What a charger counts: 7200 VA at least from 2023 on, its rating before (220.57)."""
    return max(va, EVSE_LEAST_VA) if premises.edition >= 2023 else va
