"""A panel with a load that is thought of: what it would carry, by which methods, and what follows
upstream."""

from __future__ import annotations

from dataclasses import dataclass

from packs.electrical.calculations.loads.calculation import Method
from packs.electrical.calculations.loads.panel import (
    Demand,
    PanelLoads,
    panel_demand,
    panel_loads,
    with_circuits,
)
from packs.electrical.capacity.proposing import Asked, Proposed, proposed
from packs.electrical.capacity.words import (
    no_space,
    over_limit,
    over_line,
    over_upstream,
    would_fit_by,
)
from packs.electrical.nec.overcurrent import STANDARD_RATINGS
from packs.electrical.projects.records import Panel, Project
from packs.electrical.projects.topology import path_to
from packs.electrical.results import Words
from rollcall.core.errors import FailedPrecondition


@dataclass(frozen=True, slots=True)
class Capacity:
    """What is known of a panel.

    Attributes:
        now: As it is; `then` with the new load, the same where there is none.
        others: What other methods that apply say of `then`.
        upstream: The panels on the way from the service, with the new load.
    """

    panel: Panel
    now: Demand
    then: Demand
    new: Proposed | None
    others: tuple[tuple[Method, Demand], ...]
    upstream: tuple[tuple[Panel, Demand], ...]

    @property
    def fits(self) -> bool:
        """The load fits here and upstream, and there is room for its breaker."""
        has_room = self.new is None or self.new.number is not None
        return self.then.fits and has_room and all(each.fits for _, each in self.upstream)

    @property
    def advice(self) -> list[Words]:
        """What to do where it does not fit; nothing where it does."""
        then, texts = self.then, []
        if then.demand_amps > then.rating_amps:
            texts.append(over_limit(then, _next_rating(then)))
        elif not then.fits:
            texts.append(over_line(then))
        if self.new is not None and self.new.number is None:
            texts.append(no_space(self.panel, self.new.circuit.poles))
        if not then.fits:
            texts += [would_fit_by(method) for method, each in self.others if each.fits][:1]
        texts += [over_upstream(of.name, each) for of, each in self.upstream if not each.fits]
        return texts


def capacity_of(
    project: Project,
    panel: Panel,
    asked: Asked,
    *,
    method: Method | None = None,
    peak_va: float | None = None,
) -> Capacity:
    """Work it out for a panel and a load of `asked.watts`, none if that is 0.

    Raises:
        FailedPrecondition: The method does not apply here.
        InvalidArgument: The load has more poles than the panel.
    """
    loads = panel_loads(project, panel)
    chosen = loads.chosen(method, peak_va=peak_va)
    now = loads.demand(chosen, peak_va=peak_va)
    new = proposed(panel, asked, now.line_amps) if asked.watts else None
    if new is not None:
        loads = loads.with_new(project, panel, (new.circuit,))
    then = loads.demand(chosen, peak_va=peak_va) if new else now
    return Capacity(panel, now, then, new, _others(loads, chosen), _upstream(project, panel, new))


def _others(loads: PanelLoads, chosen: Method) -> tuple[tuple[Method, Demand], ...]:
    methods = [each for each in loads.open_methods() if each != chosen]
    return tuple((method, loads.demand(method)) for method in methods)


def _upstream(
    project: Project, panel: Panel, new: Proposed | None
) -> tuple[tuple[Panel, Demand], ...]:
    try:
        path = path_to(project, panel)
    except FailedPrecondition:  # the project does not say how it is supplied
        return ()
    grown = with_circuits(project, panel, (new.circuit,)) if new else project
    above = [path.service_panel, *(leg.target for leg in path.legs)][:-1]
    panels = [each for each in above if isinstance(each, Panel)]
    return tuple((each, panel_demand(grown, grown.panel(each.id) or each)) for each in panels)


def _next_rating(then: Demand) -> int | None:
    """The next standard rating that would carry it."""
    return next((size for size in STANDARD_RATINGS if size >= then.heaviest_amps), None)
