"""What the capabilities that change circuits return."""

from __future__ import annotations

from typing import Any

from packs.electrical.projects.records import Circuit
from packs.electrical.results import CalculationResult
from rollcall.core.shapes import Wire


class PanelLoad(Wire):
    """What a panel on the way carries after the change: the heaviest line, A, of its rating."""

    panel_name: str
    load_amps: float
    rating_amps: float
    utilization_percent: float


class CircuitAdded(CalculationResult):
    """What add_circuit returns; `done` says it in the user's language."""

    done: str
    panel_id: str
    panel_name: str
    circuit_id: str
    circuit_number: int
    circuit: Circuit
    panel_loads: list[PanelLoad]


class CircuitUpdated(CalculationResult):
    """What update_circuit returns. `before` and `after` have the fields that changed; one that was
    or is not known is null in `before` and left out of `after`."""

    done: str
    panel_id: str
    panel_name: str
    circuit_id: str
    circuit_number: int
    circuit: Circuit
    before: dict[str, Any]
    after: dict[str, Any]


class CircuitRemoved(CalculationResult):
    """What remove_circuit returns: the whole circuit, as it was."""

    done: str
    panel_id: str
    panel_name: str
    circuit_id: str
    circuit_number: int
    circuit: Circuit
