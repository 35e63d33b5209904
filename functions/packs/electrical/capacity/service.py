"""A service with loads that are thought of: what it would carry and what it would take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packs.electrical.calculations.loads.calculation import Method, Premises
from packs.electrical.calculations.loads.lines import currents, lines_of, magnitudes
from packs.electrical.calculations.loads.panel import (
    Demand,
    PanelLoads,
    panel_loads,
)
from packs.electrical.calculations.loads.service import (
    Conductors,
    managed_amps,
    service_conductors,
    service_size,
)
from packs.electrical.capacity.proposing import Asked, proposed
from packs.electrical.projects.records import Circuit, Panel, Project
from packs.electrical.projects.topology import service_panel
from packs.electrical.results import Assumed


@dataclass(frozen=True, slots=True)
class Management:
    """Whether a load management system would spare the upgrade, and at how many amperes."""

    amps: float | None
    charger: bool


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What is known of a service.

    Attributes:
        now: As it is; `then` with the proposed loads, the same where there are none.
        recommended: The next common service, A; None where none is needed or none is that large.
        management: None where no upgrade is needed or nothing is proposed.
    """

    panel: Panel
    premises: Premises
    now: Demand
    then: Demand
    new: tuple[Circuit, ...]
    assumed: tuple[Assumed, ...]
    recommended: int | None
    conductors: tuple[Conductors, ...]
    management: Management | None

    @property
    def is_needed(self) -> bool:
        """The service does not carry the load."""
        return not self.then.fits


def upgrade_of(
    project: Project,
    asked: Sequence[Asked],
    *,
    method: Method | None = None,
    peak_va: float | None = None,
) -> Upgrade:
    """Work it out for a project's service and proposed loads.

    Raises:
        FailedPrecondition: The project does not say which panel the service ends at, or the method
            does not apply here.
    """
    panel = service_panel(project)
    base = panel_loads(project, panel)
    chosen = _method(base, method, peak_va)
    now = base.demand(chosen, peak_va=peak_va)
    new, assumed = _circuits(panel, asked, now)
    then = base.with_new(project, panel, new).demand(chosen, peak_va=peak_va) if new else now
    recommended = None if then.fits else service_size(then.heaviest_amps, base.premises)
    conductors = (
        service_conductors(recommended, then.heaviest_amps, base.premises) if recommended else []
    )
    management = None
    if new and not then.fits:
        management = _management(base, project, panel, new, chosen, peak_va)
    return Upgrade(
        panel, base.premises, now, then, new, assumed, recommended, tuple(conductors), management
    )


def _method(loads: PanelLoads, method: Method | None, peak_va: float | None) -> Method:
    """As asked; else by the measurement, by 220.83 for an existing dwelling, or as for a panel."""
    if method is None:
        for each in ("measured", "existing") if peak_va is not None else ("existing",):
            if each in loads.open_methods(peak_va=peak_va):
                return each
    return loads.chosen(method, peak_va=peak_va)


def _circuits(
    panel: Panel, asked: Sequence[Asked], now: Demand
) -> tuple[tuple[Circuit, ...], tuple[Assumed, ...]]:
    """Each load as a circuit on the lines that carry least, those before it counted."""
    lines, system = list(now.line_amps), now.calculation.system
    circuits: list[Circuit] = []
    assumed: list[Assumed] = []
    for place, each in enumerate(asked, 1):
        if not each.watts:
            continue
        found = proposed(panel, each, lines, id=f"proposed-{place}")
        circuits.append(found.circuit)
        assumed += found.assumed
        panel = panel.model_copy(update={"circuits": (*panel.circuits, found.circuit)})
        drawn = currents(system, lines_of(found.circuit, system), each.watts)
        lines = [amps + more for amps, more in zip(lines, magnitudes(drawn), strict=True)]
    return tuple(circuits), tuple(dict.fromkeys(assumed))


def _management(
    base: PanelLoads,
    project: Project,
    panel: Panel,
    new: Sequence[Circuit],
    method: Method,
    peak_va: float | None,
) -> Management:
    """What is left of the service without the loads that can wait: the chargers among the proposed
    ones, or all of them where there is none."""
    chargers = [circuit for circuit in new if circuit.load_type == "ev_charger"]
    held = chargers or list(new)
    others = [circuit for circuit in new if circuit not in held]
    if others:
        base = base.with_new(project, panel, others)
    without = base.demand(method, peak_va=peak_va)
    spare = without.rating_amps - without.heaviest_amps
    return Management(managed_amps(spare), bool(chargers))
