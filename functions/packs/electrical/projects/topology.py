"""The topology of a project: its records by id, and the supply paths of its panels."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct

from packs.electrical.projects.records import (
    Feeder,
    Motor,
    Panel,
    PanelCircuit,
    Project,
    Transformer,
)
from packs.electrical.wording import TEXTS
from rollcall.core.errors import FailedPrecondition


class ProjectIndex:
    """A project's records by id, and by the panel or circuit that they belong to.

    Attributes:
        nodes: Panels and transformers by id.
        feeder_to: The feeder that supplies a panel or transformer, by its id.
        feeders_from: The feeders that a panel or transformer supplies, by its id.
    """

    def __init__(self, project: Project) -> None:
        self.nodes: dict[str, Panel | Transformer] = {each.id: each for each in project.panels}
        self.nodes |= {each.id: each for each in project.transformers}
        self.feeder_to: dict[str, Feeder] = {each.target_id: each for each in project.feeders}
        self.feeders_from: dict[str, list[Feeder]] = defaultdict(list)
        for feeder in project.feeders:
            self.feeders_from[feeder.source_id].append(feeder)
        self._motors: dict[tuple[str, int], list[Motor]] = defaultdict(list)
        for motor in project.motors:
            self._motors[motor.panel_id, motor.circuit_number].append(motor)

    def motors_on(self, branch: PanelCircuit) -> list[Motor]:
        """Return the motors of a circuit."""
        return self._motors.get((branch.panel.id, branch.circuit.circuit_number), [])


class Leg(Struct, frozen=True):
    """A feeder, and its target: a panel or a transformer."""

    feeder: Feeder
    target: Panel | Transformer


class Path(Struct, frozen=True):
    """The path from the service equipment to a panel.

    Attributes:
        service_panel: The service equipment, which may be the panel itself.
        legs: The legs in the order of the supply; empty for the service panel.
    """

    service_panel: Panel
    legs: tuple[Leg, ...]


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
            hint=TEXTS.text("hints.set_service_panel"),
        )
    return roots[0]


def known_service_panel(project: Project) -> Panel | None:
    """Return the service equipment; None where the project does not determine it."""
    try:
        return service_panel(project)
    except FailedPrecondition:
        return None


def path_to(project: Project, panel: Panel) -> Path:
    """Return the supply path of `panel`.

    Raises:
        FailedPrecondition: No chain of feeders leads to it from the service.
    """
    root = service_panel(project)
    index = ProjectIndex(project)
    nodes = index.nodes
    legs: list[Leg] = []
    node = panel.id
    while node != root.id:
        feeder = index.feeder_to.get(node)
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
