"""What a panel carries, and whether it may: the demand behind it against what bounds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from packs.electrical.calculations.loads.gathering import Gathered, loads_behind
from packs.electrical.calculations.loads.limits import Limit, limits_of
from packs.electrical.calculations.loads.methods import (
    METHODS,
    calculate,
    checked,
    default_method,
    premises_of,
    why_not,
)
from packs.electrical.calculations.loads.phases import imbalance_percent
from packs.electrical.calculations.loads.premises import Premises
from packs.electrical.calculations.loads.steps import Calculation, Method
from packs.electrical.projects.records import Circuit, Panel, Project

_ROUNDING = 1e-6
"""A load of just the rating fits, however its sum was rounded; a share."""


@dataclass(frozen=True, slots=True)
class Demand:
    """The calculated load of a panel.

    Attributes:
        demand_va: The calculated load, VA.
        demand_amps: Its current with all lines loaded alike, A.
        line_amps: Of each line (L1, L2 or A, B, C), A, by the positions of the circuits.
        limits: What bounds it; `limit` is the smallest.
        utilization_percent: `demand_amps` as a share of the smallest limit.
        fits: Neither the whole nor a line is above the smallest limit.
    """

    calculation: Calculation
    limits: tuple[Limit, ...]
    demand_va: float
    demand_amps: float
    line_amps: tuple[float, ...]

    @property
    def limit(self) -> Limit:
        """The element with the smallest rating."""
        return min(self.limits, key=lambda limit: limit.amps)

    @property
    def rating_amps(self) -> float:
        """What it may carry, A."""
        return self.limit.amps

    @property
    def rating_va(self) -> float:
        """The balanced load of that current, VA."""
        return self.calculation.system.va(self.rating_amps)

    @property
    def utilization_percent(self) -> float:
        return 100 * self.demand_amps / self.rating_amps

    @property
    def available_va(self) -> float:
        """What it could carry beside the demand, VA; negative where that is too much already."""
        return self.rating_va - self.demand_va

    @property
    def heaviest_amps(self) -> float:
        """The current of the heaviest line, or of the whole where that is more, A."""
        return max(self.demand_amps, *self.line_amps)

    @property
    def fits(self) -> bool:
        return self.heaviest_amps <= self.rating_amps * (1 + _ROUNDING)

    @property
    def imbalance_percent(self) -> float:
        """The largest departure of a line from the lines' mean, percent."""
        return imbalance_percent(self.line_amps)


@dataclass(frozen=True, slots=True)
class PanelLoads:
    """The loads behind a panel, gathered once for every method.

    Attributes:
        grown: With circuits that are not there yet; None where there are none.
    """

    premises: Premises
    limits: tuple[Limit, ...]
    now: Gathered
    grown: Gathered | None = None

    def open_methods(self, *, peak_va: float | None = None) -> list[Method]:
        """The methods that apply."""
        loads, premises = self.now.loads, self.premises
        return [each for each in METHODS if why_not(each, loads, premises, peak_va=peak_va) is None]

    def chosen(self, method: Method | None, *, peak_va: float | None = None) -> Method:
        """The method that is asked for, or the default.

        Raises:
            FailedPrecondition: The one asked for does not apply.
        """
        if method is None:
            return default_method(self.now.loads, self.premises)
        return checked(method, self.now.loads, self.premises, peak_va=peak_va)

    def demand(self, method: Method, *, peak_va: float | None = None) -> Demand:
        """The demand by a method that applies; with what is new it is never less than without."""
        now = self._counted(self.now, method, peak_va)
        if self.grown is None:
            return now
        then = self._counted(self.grown, method, peak_va)
        lines = tuple(max(pair) for pair in zip(now.line_amps, then.line_amps, strict=True))
        return Demand(
            then.calculation,
            then.limits,
            max(now.demand_va, then.demand_va),
            max(now.demand_amps, then.demand_amps),
            lines,
        )

    def with_new(self, project: Project, panel: Panel, extra: Sequence[Circuit]) -> PanelLoads:
        """The same with `extra` circuits in the panel."""
        grown = with_circuits(project, panel, extra)
        there = grown.panel(panel.id) or panel
        new = [circuit.id for circuit in extra]
        return replace(self, grown=loads_behind(grown, there, new=new))

    def _counted(self, gathered: Gathered, method: Method, peak_va: float | None) -> Demand:
        found = calculate(gathered.loads, self.premises, method, peak_va=peak_va)
        found = replace(found, assumed=(*found.assumed, *gathered.assumed.values()))
        return Demand(found, self.limits, found.demand_va, found.demand_amps, found.line_amps)


def panel_loads(project: Project, panel: Panel, extra: Sequence[Circuit] = ()) -> PanelLoads:
    """Everything behind a panel, and with `extra` circuits in it."""
    premises = premises_of(project, panel)
    limits = tuple(limits_of(project, panel, whole_dwelling=premises.is_one_dwelling))
    found = PanelLoads(premises, limits, loads_behind(project, panel))
    return found.with_new(project, panel, extra) if extra else found


def panel_demand(
    project: Project,
    panel: Panel,
    extra: Sequence[Circuit] = (),
    *,
    method: Method | None = None,
    peak_va: float | None = None,
) -> Demand:
    """The demand of a panel with everything downstream of it, demand factors applied once.

    With more circuits it is never less than without them, though a demand factor that begins with
    a number of appliances (220.53, 220.54, 220.55) may say so: what one adds does not make room.

    Args:
        extra: Circuits that are not there yet; their numbers say which lines they load.
        method: By which to count; by default the optional method where it applies, else the
            standard one.
        peak_va: The measured maximum demand for the method "measured" (220.87), VA.

    Raises:
        FailedPrecondition: The method does not apply here.
    """
    loads = panel_loads(project, panel, extra)
    return loads.demand(loads.chosen(method, peak_va=peak_va), peak_va=peak_va)


def with_circuits(project: Project, panel: Panel, extra: Sequence[Circuit]) -> Project:
    """The project as it would be with these circuits in the panel."""
    more = panel.model_copy(update={"circuits": (*panel.circuits, *extra)})
    panels = tuple(more if each.id == panel.id else each for each in project.panels)
    return project.model_copy(update={"panels": panels})
