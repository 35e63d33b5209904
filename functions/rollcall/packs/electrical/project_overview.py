"""The user's projects: which there are, and what is in one."""

from __future__ import annotations

from typing import Any

from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.wire import Display, Wire
from rollcall.core.wording import isolated
from rollcall.packs.electrical.nec.sizes import label
from rollcall.packs.electrical.projects.access import of_user, open_project
from rollcall.packs.electrical.projects.records import (
    Circuit,
    Panel,
    Project,
    ProjectRole,
    RecordId,
)
from rollcall.packs.electrical.projects.selecting import PanelName, panel_named
from rollcall.packs.electrical.projects.summaries import listed
from rollcall.packs.electrical.projects.topology import downstream, service_panel
from rollcall.packs.electrical.projects.wording import ROLES, service_in_words
from rollcall.packs.electrical.results import Words, number


class ProjectSummary(Wire):
    """One project as a list shows it.

    Attributes:
        panels: How many there are; absent where it is not known.
        is_readable: Whether what is stored is a project that this version can read.
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


class ProjectList(Wire):
    """What list_projects returns."""

    projects: list[ProjectSummary]


class CircuitOverview(Wire):
    """One circuit as an overview shows it."""

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
    """One panel as an overview shows it.

    Attributes:
        fed_from: The id of the panel or transformer that supplies it; None for the service.
        spaces_used: Of its `spaces`, how many circuits take, spares included.
        load_watts: Connected to it, as its circuits state it, without demand factors.
        load_with_subpanels_watts: The same with all panels that it supplies.
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


class ProjectOverview(Wire):
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


_NAME = Words("project", "פרויקט")
_ROLE = Words("role", "תפקיד")
_SERVICE = Words("service", "חיבור")
_PANELS = Words("panels", "לוחות")
_PANEL = Words("panel", "לוח")
_CIRCUITS = Words("circuits", "מעגלים")
_SPACES = Words("spaces used", "מקומות תפוסים")
_LOAD = Words("connected load, W", "עומס מחובר, W")
_NUMBER = Words("no.", "מס'")
_DESCRIPTION = Words("description", "תיאור")
_BREAKER = Words("breaker, A", "מפסק, A")
_CONDUCTOR = Words("conductor", "מוליך")


@capability(
    name={"en": "My electrical projects", "he": "פרויקטי החשמל שלי"},
    category="electrical",
    keywords=[
        "my projects",
        "list projects",
        "which projects",
        "show projects",
        "what projects do I have",
        "הפרויקטים שלי",
        "אילו פרויקטים",
        "רשימת פרויקטים",
        "הצג פרויקטים",
        "איזה פרויקטים יש לי",
        "my buildings",
        "my jobs",
        "my sites",
        "working on",
        "names of my projects",
        "העבודות שלי",
        "האתרים שלי",
        "המבנים שלי",
        "על מה אני עובד",
    ],
    examples=[
        {"userRequest": "Which projects do I have?", "parameters": {}},
        {"userRequest": "אילו פרויקטים יש לי?", "parameters": {}},
    ],
    related=["get_project"],
)
def list_projects(ctx: ToolContext) -> ProjectList:
    """List the user's electrical projects, with the user's role in each and what is in them.

    Use it to find a project's id by its name, or when the user asks which projects there are.
    """
    shown = (listed(each.id, each.to_dict() or {}, ctx.user.uid) for each in of_user(ctx))
    found = [ProjectSummary.model_validate(each) for each in shown if each is not None]
    found.sort(key=lambda project: (project.name.casefold(), project.project_id))
    columns = [words.say(ctx.locale) for words in (_NAME, _ROLE, _PANELS)]
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
    return ProjectList(projects=found)


@capability(
    name={"en": "Project overview", "he": "סקירת פרויקט"},
    category="electrical",
    keywords=[
        "project overview",
        "show the project",
        "what is in the project",
        "list the panels",
        "which panels",
        "circuits of a panel",
        "show panel",
        "panel circuits",
        "what is in the panel",
        "service size",
        "סקירת הפרויקט",
        "הצג את הפרויקט",
        "מה יש בפרויקט",
        "אילו לוחות",
        "רשימת הלוחות",
        "מעגלים בלוח",
        "הצג את הלוח",
        "מה יש בלוח",
        "גודל החיבור",
        "what does the panel feed",
        "what is on the board",
        "walk me through",
        "how many panels",
        "boards",
        "מה מוזן מהלוח",
        "מה מחובר ללוח",
        "כמה לוחות",
    ],
    examples=[
        {"userRequest": "What is in my house project?", "parameters": {"projectId": "house"}},
        {
            "userRequest": "Show the circuits of the garage panel",
            "parameters": {"panelName": "garage"},
        },
        {"userRequest": "אילו לוחות יש בפרויקט?", "parameters": {}},
        {"userRequest": "מה יש בלוח המחסן?", "parameters": {"panelName": "לוח מחסן"}},
    ],
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
    result = ProjectOverview(
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
        panels=[_panel(project, each) for each in project.panels],
        feeders=len(project.feeders),
        transformers=len(project.transformers),
        motors=len(project.motors),
        panel_id=panel.id if panel else None,
        circuits=[_circuit(each) for each in _in_order(panel)] if panel else None,
    )
    ctx.show(_circuit_table(ctx, panel) if panel else _panel_table(ctx, project, result))
    return result


def _service_panel(project: Project) -> str | None:
    """Its id, where the project says which one it is."""
    try:
        return service_panel(project).id
    except FailedPrecondition:
        return None


def _panel(project: Project, panel: Panel) -> PanelOverview:
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
        load_watts=_load(panel),
        load_with_subpanels_watts=sum(_load(each) for each in downstream(project, panel)),
    )


def _load(panel: Panel) -> float:
    return sum(circuit.load_watts for circuit in panel.circuits)


def _circuit(circuit: Circuit) -> CircuitOverview:
    return CircuitOverview(
        circuit_id=circuit.id,
        circuit_number=circuit.circuit_number,
        poles=circuit.poles,
        description=circuit.description,
        load_watts=circuit.load_watts,
        load_type=circuit.load_type,
        breaker_amps=circuit.breaker_amps,
        conductor_size=circuit.conductor_size,
        conductor_material=circuit.conductor_material,
        length_ft=circuit.length_ft,
    )


def _in_order(panel: Panel) -> list[Circuit]:
    return sorted(panel.circuits, key=lambda circuit: circuit.circuit_number)


def _panel_table(ctx: ToolContext, project: Project, result: ProjectOverview) -> Display:
    columns = [words.say(ctx.locale) for words in (_PANEL, _CIRCUITS, _SPACES, _LOAD)]
    rows: list[dict[str, Any]] = [
        dict(
            zip(
                columns,
                (
                    isolated(each.name),
                    each.circuits,
                    isolated(f"{each.spaces_used} / {each.spaces}"),
                    number(each.load_with_subpanels_watts, digits=0),
                ),
                strict=True,
            )
        )
        for each in result.panels
    ]
    title = f"{isolated(project.name)}: {service_in_words(ctx.locale, project)}"
    return Display(type="table", title=title, columns=columns, rows=rows)


def _circuit_table(ctx: ToolContext, panel: Panel) -> Display:
    columns = [
        words.say(ctx.locale) for words in (_NUMBER, _DESCRIPTION, _LOAD, _BREAKER, _CONDUCTOR)
    ]
    rows: list[dict[str, Any]] = [
        dict(
            zip(
                columns,
                (
                    isolated("-".join(str(place) for place in each.positions)),
                    isolated(each.description),
                    number(each.load_watts, digits=0),
                    each.breaker_amps,
                    isolated(label(each.conductor_size)) if each.conductor_size else None,
                ),
                strict=True,
            )
        )
        for each in _in_order(panel)
    ]
    return Display(type="table", title=isolated(panel.name), columns=columns, rows=rows)
