"""Whether a changed panel, and those before it, still carry their load by Article 220."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from packs.electrical.calculations.loads.panel import Demand, panel_demand
from packs.electrical.projects.records import Panel, Project
from packs.electrical.projects.topology import path_to
from packs.electrical.results import Words, panel_words
from packs.electrical.wording import amps, percent
from rollcall.core.errors import FailedPrecondition

_SAME = 1e-6


@dataclass(frozen=True, slots=True)
class Carried:
    """One panel's load after a change.

    Attributes:
        is_overloaded: It is above its rating, by the change or already before and now more so.
    """

    panel: Panel
    after: Demand
    is_overloaded: bool

    @property
    def words(self) -> Words:
        """What it would carry of what."""
        name, after = panel_words(self.panel.name), self.after
        load, most = amps(after.heaviest_amps), amps(after.rating_amps, 0)
        share = percent(100 * after.heaviest_amps / after.rating_amps)
        return Words(
            en=f"{name.en} would carry {load} of {most} ({share})",
            he=f"העומס על {name.he} יהיה {load} מתוך {most} ({share})",
        )


def carried(before: Project, after: Project, panel: Panel) -> list[Carried]:
    """The panel that changes, and each before it up to the service; itself first.

    Raises:
        FailedPrecondition: Its load cannot be calculated.
    """
    return [_carried(before, after, each) for each in _on_the_way(before, panel)]


def _carried(before: Project, after: Project, panel: Panel) -> Carried:
    found = panel_demand(after, _of(after, panel))
    if found.fits:
        return Carried(panel, found, is_overloaded=False)
    was = panel_demand(before, _of(before, panel))
    return Carried(panel, found, found.heaviest_amps > was.heaviest_amps * (1 + _SAME))


def _on_the_way(project: Project, panel: Panel) -> Iterator[Panel]:
    yield panel
    try:
        path = path_to(project, panel)
    except FailedPrecondition:  # nothing says how it is supplied: only itself can be looked at
        return
    above = [path.service_panel, *(leg.target for leg in path.legs)]
    for each in reversed(above):
        if isinstance(each, Panel) and each.id != panel.id:
            yield each


def _of(project: Project, panel: Panel) -> Panel:
    found = project.panel(panel.id)
    assert found is not None  # a change of circuits takes no panel away
    return found
