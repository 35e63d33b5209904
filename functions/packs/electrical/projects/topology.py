"""The supply path of a panel: from the service through panels, feeders and transformers."""

from __future__ import annotations

from dataclasses import dataclass

from packs.electrical.projects.records import Feeder, Panel, Project, Transformer
from packs.electrical.wording import TEXTS
from rollcall.core.errors import FailedPrecondition


@dataclass(frozen=True, slots=True)
class Leg:
    """A feeder, and its target: a panel or a transformer."""

    feeder: Feeder
    target: Panel | Transformer


@dataclass(frozen=True, slots=True)
class Path:
    """The path from the service equipment to a panel.

    Attributes:
        service_panel: The service equipment, which may be the panel itself.
        legs: The legs in the order of the supply; empty for the service panel.
    """

    service_panel: Panel
    legs: tuple[Leg, ...]

    @property
    def panel(self) -> Panel:
        """The panel at the end of the path."""
        last = self.legs[-1].target if self.legs else self.service_panel
        assert isinstance(last, Panel)
        return last


def service_panel(project: Project) -> Panel:
    """Return the service equipment: the panel that the service names, or that is marked as such,
    or the only one that no feeder supplies.

    Raises:
        FailedPrecondition: The project does not determine it.
    """
    if project.service.panel_id is not None:
        named = project.panel(project.service.panel_id)
        if named is not None:
            return named
    marked = [panel for panel in project.panels if panel.is_service_equipment]
    supplied = {feeder.target_id for feeder in project.feeders}
    roots = marked or [panel for panel in project.panels if panel.id not in supplied]
    if len(roots) != 1:
        raise FailedPrecondition(
            TEXTS.text("errors.which_service", number=len(roots)),
            hint="set service.panelId",
        )
    return roots[0]


def path_to(project: Project, panel: Panel) -> Path:
    """Return the supply path of `panel`.

    Raises:
        FailedPrecondition: No chain of feeders leads to it from the service.
    """
    root = service_panel(project)
    nodes: dict[str, Panel | Transformer] = {each.id: each for each in project.panels}
    nodes |= {each.id: each for each in project.transformers}
    into = {feeder.target_id: feeder for feeder in project.feeders}
    legs: list[Leg] = []
    node = panel.id
    while node != root.id:
        feeder = into.get(node)
        if feeder is None:
            raise FailedPrecondition(
                TEXTS.text("errors.no_feeder_to", name=nodes[node].name),
                hint=TEXTS.text("hints.add_feeder", name=nodes[node].name),
            )
        legs.append(Leg(feeder, nodes[node]))
        node = feeder.source_id
    return Path(root, tuple(reversed(legs)))


def panels_above(project: Project, panel: Panel) -> list[Panel]:
    """Return the panels between the service and `panel`, from the service on; none where the
    project does not say how it is supplied."""
    try:
        path = path_to(project, panel)
    except FailedPrecondition:
        return []
    nodes = [path.service_panel, *(leg.target for leg in path.legs)]
    return [node for node in nodes[:-1] if isinstance(node, Panel)]


def downstream(project: Project, panel: Panel) -> list[Panel]:
    """Return the panels that are supplied through `panel`, itself first."""
    panels = {each.id: each for each in project.panels}
    supplied, waiting = [], [panel.id]
    while waiting:
        node = waiting.pop()
        if node in panels:
            supplied.append(panels[node])
        waiting += [feeder.target_id for feeder in project.feeders if feeder.source_id == node]
    return supplied
