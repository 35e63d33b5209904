"""The capabilities `list_projects` and `get_project`: the user's projects, and what is in one."""

from __future__ import annotations

from typing import Any, get_args

from packs.electrical.projects.access import of_user, open_project
from packs.electrical.projects.overview import (
    CircuitOverview,
    PanelOverview,
    circuit_overview,
    circuit_table,
    columns_named,
    in_order,
    panel_in_words,
    panel_overview,
    panel_table,
    project_in_words,
)
from packs.electrical.projects.records import Project, ProjectRole, RecordId
from packs.electrical.projects.selection import PanelName, panel_named
from packs.electrical.projects.topology import service_panel
from packs.electrical.projects.wording import ROLES
from packs.electrical.results import Result
from packs.electrical.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display, Wire
from rollcall.core.texts import isolated


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
    """What list_projects returns."""

    projects: list[ProjectSummary]


class ProjectOverview(Result):
    """What get_project returns; `circuits` where a panel was asked for."""

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
    category="electrical",
    related=["get_project"],
)
def list_projects(ctx: ToolContext) -> ProjectList:
    """List the user's electrical projects, with the user's role in each and what is in them.

    Use it to find a project's id by its name, or when the user asks which projects there are.
    """
    shown = (_summary(each.id, each.to_dict() or {}, ctx.user.uid) for each in of_user(ctx))
    found = [ProjectSummary.model_validate(each) for each in shown if each is not None]
    found.sort(key=lambda project: (project.name.casefold(), project.project_id))
    columns = columns_named(ctx.locale, "project", "role", "panels")
    rows = [
        dict(
            zip(
                columns,
                (isolated(each.name), ROLES[each.role].say(ctx.locale), each.panels),
                strict=True,
            )
        )
        for each in found
    ]
    ctx.show(Display(type="table", columns=columns, rows=rows))
    return ProjectList(answer=_list_in_words(ctx, found), projects=found)


def _list_in_words(ctx: ToolContext, found: list[ProjectSummary]) -> str:
    if not found:
        return TEXTS.say(ctx.locale, "projects.none")
    lines = [
        f"- {isolated(each.name)} ({isolated(each.project_id)}): {ROLES[each.role].say(ctx.locale)}"
        for each in found
    ]
    return "\n".join(lines)


@capability(
    category="electrical",
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
    told = (
        project_in_words(ctx.locale, project)
        if panel is None
        else panel_in_words(ctx.locale, panel)
    )
    result = ProjectOverview(
        answer=told,
        project_id=project.id,
        name=project.name,
        role=opened.role,
        edition=project.edition,
        occupancy=project.building.occupancy,
        floor_area_ft2=project.building.floor_area_ft2,
        service_amps=project.service.service_amps,
        service_voltage=project.service.service_voltage,
        phases=project.service.phases,
        service_panel_id=_service_panel(project),
        panels=[panel_overview(project, each) for each in project.panels],
        feeders=len(project.feeders),
        transformers=len(project.transformers),
        motors=len(project.motors),
        panel_id=panel.id if panel else None,
        circuits=[circuit_overview(each) for each in in_order(panel)] if panel else None,
    )
    ctx.show(
        panel_table(ctx.locale, project, result.panels)
        if panel is None
        else circuit_table(ctx.locale, panel)
    )
    return result


def _service_panel(project: Project) -> str | None:
    """Return the id of the service panel, where the project determines it."""
    try:
        return service_panel(project).id
    except FailedPrecondition:
        return None


def _summary(id: str, data: dict[str, Any], uid: str) -> dict[str, Any] | None:
    """Return what `ProjectSummary` shows of a stored project; None where the user has no role.

    One that another version wrote, or that was damaged, is listed with its name and a mark.
    """
    members = data.get("members")
    role = members.get(uid) if isinstance(members, dict) else None
    if role not in get_args(ProjectRole):
        return None
    found = {"projectId": id, "name": str(data.get("name") or id), "role": role}
    try:
        return {**found, **_content(data)}
    except (AttributeError, KeyError, TypeError, ValueError):
        return {**found, "isReadable": False}


def _content(data: dict[str, Any]) -> dict[str, Any]:
    updated = data.get("updatedAt")
    panels = data.get("panelCount")
    return {
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
