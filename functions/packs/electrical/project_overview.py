"""The capabilities `list_projects` and `get_project`: the user's projects, and one in detail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from packs.electrical.nec.conductors import label
from packs.electrical.projects.access import of_user, open_project
from packs.electrical.projects.records import Circuit, Panel, Project, ProjectRole, RecordId
from packs.electrical.projects.selection import PanelName, panel_named
from packs.electrical.projects.topology import downstream, known_service_panel
from packs.electrical.projects.wording import (
    columns_named,
    counts,
    counts_in_words,
    service_in_words,
)
from packs.electrical.results import Result, finish, table
from packs.electrical.wording import TEXTS, number
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import isolated


class CircuitOverview(Wire):
    """The main figures of a circuit."""

    circuit_id: str
    circuit_number: int
    poles: int
    description: str
    load_watts: float
    load_type: str
    breaker_amps: int
    conductor_size: str | None
    conductor_material: str
    length_ft: float | None


class PanelOverview(Wire):
    """The main figures of a panel.

    Attributes:
        fed_from: The id of the panel or transformer that supplies it; None for the service.
        spaces_used: How many of its `spaces` circuits take, with spares.
        load_watts: The connected load of its circuits, without demand factors.
        load_with_subpanels_watts: The same, with all panels that it supplies.
    """

    panel_id: str
    name: str
    voltage: float
    phases: int
    bus_rating: float
    main_breaker_amps: float | None
    fed_from: str | None
    spaces: int
    spaces_used: int
    circuits: int
    load_watts: float
    load_with_subpanels_watts: float


class ProjectSummary(Wire):
    """One project as a list shows it.

    Attributes:
        panels: The number of panels; absent where it is not known.
        is_readable: Whether this version can read the stored project.
    """

    project_id: str
    name: str
    role: ProjectRole
    edition: int | None = None
    occupancy: str | None = None
    service_amps: float | None = None
    service_voltage: float | None = None
    phases: int | None = None
    panels: int | None = None
    feeders: int = 0
    transformers: int = 0
    motors: int = 0
    updated_at: str | None = None
    is_readable: bool = True


class ProjectList(Result):
    """The result of list_projects."""

    projects: list[ProjectSummary]


class ProjectOverview(Result):
    """The result of get_project; `circuits` are those of the requested panel."""

    project_id: str
    name: str
    role: ProjectRole
    edition: int
    occupancy: str
    floor_area_ft2: float | None
    service_amps: float
    service_voltage: float
    phases: int
    service_panel_id: str | None
    panels: list[PanelOverview]
    feeders: int
    transformers: int
    motors: int
    panel_id: str | None = None
    circuits: list[CircuitOverview] | None = None


@capability(
    related=["get_project"],
)
def list_projects(ctx: ToolContext) -> ProjectList:
    """List the user's electrical projects, with the user's role in each and what is in them.

    Use it to find a project's id by its name, or when the user asks which projects there are.
    """
    shown = (_summary(each.id, each.to_dict() or {}, ctx.user.uid) for each in of_user(ctx))
    projects = [ProjectSummary.model_validate(each) for each in shown if each is not None]
    projects.sort(key=lambda project: (project.name.casefold(), project.project_id))
    columns = columns_named(ctx.locale, "project", "role", "panels")
    roles = [TEXTS.say(ctx.locale, f"projects.roles.{each.role}") for each in projects]
    listed = list(zip(projects, roles, strict=True))
    rows = [(isolated(each.name), role, each.panels) for each, role in listed]
    lines = [
        f"- {isolated(each.name)} ({isolated(each.project_id)}): {role}" for each, role in listed
    ]
    answer = "\n".join(lines) or TEXTS.say(ctx.locale, "projects.none")
    result = ProjectList(answer=answer, projects=projects)
    return finish(ctx, result, Display(type="table", **table(columns, rows)))


@capability(
    related=["list_projects", "export_panel_schedule"],
)
def get_project(
    ctx: ToolContext, *, project_id: RecordId | None = None, panel_name: PanelName | None = None
) -> ProjectOverview:
    """Show what is in a project: its service and its panels with their circuits and loads.

    Use it for questions about the project as a whole, which panels there are, or which circuits a
    panel has. Loads are as connected; what a service or a panel may carry is calculated by
    check_panel_capacity and check_service_upgrade.

    Args:
        project_id: The project; leave out for the one at hand.
        panel_name: A panel whose circuits are listed too, by its name or id.
    """
    opened = open_project(ctx, project_id)
    project = opened.project
    panel = None if panel_name is None else panel_named(project, panel_name)
    if panel is None:
        answer = _project_in_words(ctx.locale, project)
    else:
        answer = _panel_in_words(ctx.locale, panel)
    service = known_service_panel(project)
    result = ProjectOverview(
        answer=answer,
        project_id=project.id,
        name=project.name,
        role=opened.role,
        edition=project.edition,
        occupancy=project.building.occupancy,
        floor_area_ft2=project.building.floor_area_ft2,
        service_amps=project.service.service_amps,
        service_voltage=project.service.service_voltage,
        phases=project.service.phases,
        service_panel_id=service.id if service else None,
        panels=[_panel_overview(project, each) for each in project.panels],
        feeders=len(project.feeders),
        transformers=len(project.transformers),
        motors=len(project.motors),
        panel_id=panel.id if panel else None,
        circuits=[_circuit_overview(each) for each in _in_order(panel)] if panel else None,
    )
    if panel is None:
        return finish(ctx, result, _panel_table(ctx.locale, project, result.panels))
    return finish(ctx, result, _circuit_table(ctx.locale, panel))


def _summary(id: str, data: dict[str, Any], uid: str) -> dict[str, Any] | None:
    """Return what `ProjectSummary` shows of a stored project; None where the user has no role.

    One that another version wrote, or that was damaged, is listed with its name and a mark.
    """
    members = data.get("members")
    role = members.get(uid) if isinstance(members, dict) else None
    if role not in get_args(ProjectRole):
        return None
    summary = {"projectId": id, "name": str(data.get("name") or id), "role": role}
    try:
        updated, panels = data.get("updatedAt"), data.get("panelCount")
        return {
            **summary,
            "edition": int(data["edition"]),
            "occupancy": str(data["building"]["occupancy"]),
            "serviceAmps": float(data["service"]["serviceAmps"]),
            "serviceVoltage": float(data["service"]["serviceVoltage"]),
            "phases": int(data["service"]["phases"]),
            "panels": None if panels is None else int(panels),
            "feeders": len(data.get("feeders", ())),
            "transformers": len(data.get("transformers", ())),
            "motors": len(data.get("motors", ())),
            "updatedAt": None if updated is None else updated.isoformat(),
        }
    except (AttributeError, KeyError, TypeError, ValueError):
        return {**summary, "isReadable": False}


def _panel_overview(project: Project, panel: Panel) -> PanelOverview:
    source = [feeder.source_id for feeder in project.feeders if feeder.target_id == panel.id]
    return PanelOverview(
        panel_id=panel.id,
        name=panel.name,
        voltage=panel.voltage,
        phases=panel.phases,
        bus_rating=panel.bus_rating,
        main_breaker_amps=panel.main_breaker_amps,
        fed_from=source[0] if source else None,
        spaces=panel.spaces,
        spaces_used=sum(circuit.poles for circuit in panel.circuits),
        circuits=len(panel.circuits),
        load_watts=_load_of([panel]),
        load_with_subpanels_watts=_load_of(downstream(project, panel)),
    )


def _load_of(panels: Sequence[Panel]) -> float:
    """The connected load of the panels' own circuits, W."""
    return sum(sum(circuit.load_watts for circuit in panel.circuits) for panel in panels)


def _circuit_overview(circuit: Circuit) -> CircuitOverview:
    shown = CircuitOverview.model_fields.keys() - {"circuit_id"}
    return CircuitOverview(
        circuit_id=circuit.id, **{name: getattr(circuit, name) for name in shown}
    )


def _in_order(panel: Panel) -> list[Circuit]:
    """Return a panel's circuits, sorted by number."""
    return sorted(panel.circuits, key=lambda circuit: circuit.circuit_number)


def _project_in_words(locale: str, project: Project) -> str:
    """The service and the panels of a project."""
    name, service = isolated(project.name), service_in_words(locale, project)
    lines = [f"{name}: {service}; {counts_in_words(locale, counts(project))}."]
    for panel in project.panels:
        supplied = downstream(project, panel)
        load = isolated(f"{number(_load_of(supplied))} W")
        if len(supplied) > 1:
            load = TEXTS.say(locale, "projects.with_subpanels", load=load)
        circuits = counts_in_words(locale, {"circuits": len(panel.circuits)})
        figures = ", ".join(part for part in (circuits, load) if part)
        lines.append(f"- {isolated(panel.name)}: {figures}")
    return "\n".join(lines)


def _panel_in_words(locale: str, panel: Panel) -> str:
    """The circuits of a panel, one per line."""
    lines = [f"{isolated(panel.name)}:"]
    for each in _in_order(panel):
        figures = f"{number(each.load_watts)} W, {each.breaker_amps} A"
        lines.append(f"- {_place(each)} {isolated(each.description)}: {isolated(figures)}")
    return "\n".join(lines)


def _panel_table(locale: str, project: Project, panels: Sequence[PanelOverview]) -> Display:
    rows = [
        (
            isolated(each.name),
            each.circuits,
            isolated(f"{each.spaces_used} / {each.spaces}"),
            number(each.load_with_subpanels_watts, digits=0),
        )
        for each in panels
    ]
    title = f"{isolated(project.name)}: {service_in_words(locale, project)}"
    columns = columns_named(locale, "panel", "circuits", "spaces", "load")
    return Display(type="table", title=title, **table(columns, rows))


def _circuit_table(locale: str, panel: Panel) -> Display:
    rows = [
        (
            _place(each),
            isolated(each.description),
            number(each.load_watts, digits=0),
            each.breaker_amps,
            isolated(label(each.conductor_size)) if each.conductor_size else None,
        )
        for each in _in_order(panel)
    ]
    columns = columns_named(locale, "number", "description", "load", "breaker", "conductor")
    return Display(type="table", title=isolated(panel.name), **table(columns, rows))


def _place(circuit: Circuit) -> str:
    """Return a circuit's positions, such as `1-3`."""
    return isolated("-".join(str(place) for place in circuit.positions))
