"""The agent's briefing: the current project on a page, and the names of its panels and circuits."""

from __future__ import annotations

from collections.abc import Iterator

from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import Circuit, Panel, Project
from packs.electrical.wording import TEXTS
from rollcall.core.context import ToolContext
from rollcall.core.profile import Place
from rollcall.core.text import terms

MAX_PANELS = 20
_FEEDER = " feeder"
MAX_CIRCUITS = 120
"""Most circuits in the briefing; a tool lists the others."""


def describe(ctx: ToolContext, *, short: bool) -> Place:
    """Describe the project, with its circuits or, if `short`, only its service and panels; add the
    names of its panels and circuits.

    Raises:
        AgentError: The user has no project, has several and named none, or may not read this one.
    """
    opened = open_project(ctx)
    project = opened.project
    lines = [_heading(project, opened.role), *_panels(project, short=short)]
    if not short:
        lines += _others(project)
    panels = tuple(panel.name for panel in project.panels)
    taken = {name.casefold() for name in panels}
    # "Main panel" works whatever the panel's own name is.
    main = (name for name in TEXTS.by_language("projects.main_panel").values() if name not in taken)
    circuits = tuple(each.description for panel in project.panels for each in panel.circuits)
    names = {
        "projectId": (project.id,),
        "panelName": (*panels, *main, *_names_by_feeder(project)),
        "circuitDescription": circuits,
    }
    return Place("\n".join(lines), names)


def _names_by_feeder(project: Project) -> Iterator[str]:
    """Names of panels by their feeders, where their own names differ: "Server room panel" for the
    panel SR, which the "Server room feeder" feeds."""
    panels = {panel.id: panel for panel in project.panels}
    for feeder in project.feeders:
        panel = panels.get(feeder.target_id)
        is_other = panel and set(terms(feeder.name)).isdisjoint(terms(panel.name))
        if is_other and feeder.name.endswith(_FEEDER):
            yield f"{feeder.name.removesuffix(_FEEDER)} panel"


def _heading(project: Project, role: str) -> str:
    service, building = project.service, project.building
    area = f", {building.floor_area_ft2:g} ft²" if building.floor_area_ft2 else ""
    return (
        f"Project {project.name} (id {project.id}, NEC {project.edition}, the user is its {role}): "
        f"{building.occupancy}{area}; service {service.service_amps:g} A, "
        f"{service.service_voltage:g} V, {service.phases}-phase"
    )


def _panels(project: Project, *, short: bool) -> Iterator[str]:
    room = 0 if short else MAX_CIRCUITS
    for panel in project.panels[:MAX_PANELS]:
        yield _panel(panel)
        shown = panel.circuits[:room]
        room -= len(shown)
        yield from map(_circuit, shown)
        if not short and len(shown) < len(panel.circuits):
            yield f"  and {len(panel.circuits) - len(shown)} more circuits"
    if len(project.panels) > MAX_PANELS:
        yield f"and {len(project.panels) - MAX_PANELS} more panels"


def _panel(panel: Panel) -> str:
    main = f"{panel.main_breaker_amps:g} A main" if panel.main_breaker_amps else "main lugs"
    return (
        f"- {panel.name} (id {panel.id}): {panel.voltage:g} V, {panel.phases}-phase, "
        f"{panel.bus_rating:g} A bus, {main}, {panel.spaces} spaces, "
        f"{len(panel.circuits)} circuits"
    )


def _circuit(circuit: Circuit) -> str:
    size = f", {circuit.conductor_size} {circuit.conductor_material}" * bool(circuit.conductor_size)
    length = f", {circuit.length_ft:g} ft" if circuit.length_ft else ""
    return (
        f"  {circuit.circuit_number}: {circuit.description}, {circuit.load_watts:g} W, "
        f"{circuit.breaker_amps} A {circuit.poles}-pole{size}{length}"
    )


def _others(project: Project) -> Iterator[str]:
    for feeder in project.feeders:
        yield f"- feeder {feeder.name}: {feeder.source_id} to {feeder.target_id}"
    for each in project.transformers:
        yield (
            f"- transformer {each.name}: {each.kva:g} kVA, {each.primary_voltage:g} to "
            f"{each.secondary_voltage:g} V"
        )
    for motor in project.motors:
        yield f"- motor {motor.name}: {motor.hp} hp on circuit {motor.circuit_number}"
