"""Which circuit a selector means: the longest, the one with the highest load or the worst drop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from packs.electrical.calculations.supply import volt_amperes_of
from packs.electrical.calculations.voltage_drop import (
    BRANCH_LIMIT_PERCENT,
    Method,
    drop,
    within,
)
from packs.electrical.projects.records import Project
from packs.electrical.projects.selection import PanelCircuit, panel_named
from packs.electrical.wiring.drop_cases import Asked, case_of
from packs.electrical.wiring.drop_results import Ranked, Selector
from rollcall.core.errors import FailedPrecondition, InvalidArgument

MAX_LISTED = 50
_NO_BRANCH = ("spare", "subpanel")
"""A spare carries nothing; what runs to a panel is a feeder."""


class Candidate(NamedTuple):
    """A circuit that a selector may choose, and by what."""

    found: PanelCircuit
    value: float


@dataclass(frozen=True, slots=True)
class Compared:
    """The circuits that could be compared, the chosen one first, and why others could not."""

    ranked: tuple[Candidate, ...]
    left_out: tuple[str, ...]

    @property
    def total(self) -> int:
        return len(self.ranked) + len(self.left_out)


def compare(
    project: Project, asked: Asked, method: Method, selector: Selector, panel_name: str | None
) -> Compared:
    """Order the circuits of a project, or of one panel, as a selector asks.

    Raises:
        FailedPrecondition: None can be compared.
    """
    panels = [panel_named(project, panel_name)] if panel_name else project.panels
    everything = [
        PanelCircuit(panel, circuit)
        for panel in panels
        for circuit in panel.circuits
        if circuit.load_type not in _NO_BRANCH
    ]
    candidates, left_out = _compared(everything, _measure(selector, project, asked, method))
    if not candidates:
        reasons = "; ".join(left_out[:3]) or "there are no circuits"
        raise FailedPrecondition(f"no circuit can be compared by {selector}: {reasons}")
    return Compared(tuple(sorted(candidates, key=_order)), tuple(left_out))


def ranking(project: Project, compared: Compared, asked: Asked, method: Method) -> list[Ranked]:
    """The first of them as rows."""
    return [_ranked(project, each.found, asked, method) for each in compared.ranked[:MAX_LISTED]]


def _measure(
    selector: Selector, project: Project, asked: Asked, method: Method
) -> Callable[[PanelCircuit], float]:
    """What a selector goes by; an `InvalidArgument` says why a circuit's drop cannot be told."""

    def measure(found: PanelCircuit) -> float:
        run = case_of(project, found, asked).run
        lost = drop(run, method).percent
        if selector == "worst":
            return lost
        if selector == "longest":
            return run.length_ft
        return volt_amperes_of(run.amps, volts=run.volts, phases=run.phases)

    return measure


def _compared(
    everything: Sequence[PanelCircuit], measure: Callable[[PanelCircuit], float]
) -> tuple[list[Candidate], list[str]]:
    candidates, left_out = [], []
    for found in everything:
        try:
            candidates.append(Candidate(found, measure(found)))
        except InvalidArgument as error:
            left_out.append(error.message)
    return candidates, left_out


def _order(each: Candidate) -> tuple[float, str, int]:
    """The greatest first; equals by their place, whatever order they were read in."""
    return (-each.value, each.found.panel.name, each.found.circuit.circuit_number)


def _ranked(project: Project, found: PanelCircuit, asked: Asked, method: Method) -> Ranked:
    run = case_of(project, found, asked).run
    lost = drop(run, method)
    return Ranked(
        circuit_id=found.circuit.id,
        circuit_name=found.circuit.description,
        circuit_number=found.circuit.circuit_number,
        panel_name=found.panel.name,
        load_amps=round(run.amps, 2),
        length_ft=round(run.length_ft, 1),
        conductor_size=run.size,
        voltage_drop_volts=round(lost.volts, 3),
        voltage_drop_percent=round(lost.percent, 3),
        compliant=within(lost.percent, BRANCH_LIMIT_PERCENT),
    )
