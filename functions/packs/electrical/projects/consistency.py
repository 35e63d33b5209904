"""Whether the parts of a project fit together: names used once, references that lead somewhere,
one way of supply to each panel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packs.electrical.projects.records import Project


def problems(project: Project) -> list[str]:
    """What does not fit, in words that name it; empty if all does."""
    return [*_doubles(project), *_loose_ends(project), *_circles(project)]


def _doubles(project: Project) -> Iterator[str]:
    nodes = [panel.id for panel in project.panels]
    nodes += [transformer.id for transformer in project.transformers]
    kinds = {
        "panels or transformers": nodes,
        "feeders": [feeder.id for feeder in project.feeders],
        "motors": [motor.id for motor in project.motors],
    }
    for kind, ids in kinds.items():
        for id, count in Counter(ids).items():
            if count > 1:
                yield f"{count} {kind} have the id {id!r}"
    names = Counter(panel.name.casefold() for panel in project.panels)
    for panel in project.panels:
        if names.pop(panel.name.casefold(), 1) > 1:
            yield f"two panels are called {panel.name!r}"
    by_id = {panel.id.casefold(): panel for panel in project.panels}
    for panel in project.panels:
        other = by_id.get(panel.name.casefold(), panel)
        if other is not panel:
            yield f"the panel {panel.id!r} is called {panel.name!r}, which is another panel's id"


def _loose_ends(project: Project) -> Iterator[str]:
    panels = {panel.id: panel for panel in project.panels}
    nodes = panels.keys() | {transformer.id for transformer in project.transformers}
    for feeder in project.feeders:
        for id in (feeder.source_id, feeder.target_id):
            if id not in nodes:
                yield f"feeder {feeder.name!r} names {id!r}, which is no panel or transformer"
    for target, count in Counter(feeder.target_id for feeder in project.feeders).items():
        if count > 1:
            yield f"{count} feeders run to {target!r}; one supplies it"
    service_panel = project.service.panel_id
    if service_panel is not None and service_panel not in panels:
        yield f"the service names the panel {service_panel!r}, which is not there"
    for motor in project.motors:
        panel = panels.get(motor.panel_id)
        if panel is None:
            yield f"motor {motor.name!r} names the panel {motor.panel_id!r}, which is not there"
        elif all(motor.circuit_number != each.circuit_number for each in panel.circuits):
            yield f"motor {motor.name!r} names circuit {motor.circuit_number} of {panel.name!r}"


def _circles(project: Project) -> Iterator[str]:
    above = {feeder.target_id: feeder.source_id for feeder in project.feeders}
    for start in above:
        seen = {start}
        node = above[start]
        while node in above and node not in seen:
            seen.add(node)
            node = above[node]
        if node == start:
            yield f"{start!r} is supplied from itself"
