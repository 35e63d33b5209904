"""The capability `export_panel_schedule`: panel schedules as a spreadsheet."""

from __future__ import annotations

from typing import Any

from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import RecordId
from packs.electrical.projects.schedule import Position, Schedule, schedule
from packs.electrical.projects.selection import PanelName, panel_named
from packs.electrical.wording import TEXTS, number
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display, FileRef, Wire
from rollcall.core.texts import isolated

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class PhaseLoad(Wire):
    """What is connected to one phase of a panel: VA, and A to neutral."""

    phase: str
    load_va: float
    load_amps: float


class ScheduleTotals(Wire):
    """One panel's connected loads."""

    panel_name: str
    spaces: int
    phases: list[PhaseLoad]
    total_va: float


class PanelSchedules(Wire):
    """What export_panel_schedule returns. `get_file` reads the file that `files` names."""

    done: str
    project_id: str
    file_name: str
    content_type: str
    bytes: int
    panels: list[ScheduleTotals]
    files: list[FileRef]


@capability(
    category="electrical",
    related=["get_project", "export_project"],
)
def export_panel_schedule(
    ctx: ToolContext, *, panel_name: PanelName | None = None, project_id: RecordId | None = None
) -> PanelSchedules:
    """Make the schedule of a panel, or of all panels, as an xlsx file, with loads per phase.

    The user gets the file; totals and a table are told. Loads are as connected, without demand
    factors.

    Args:
        panel_name: The panel, by its name or id; leave out for all panels, a sheet each.
        project_id: The project; leave out for the one at hand.
    """
    from packs.electrical.projects.schedule import workbook

    project = open_project(ctx, project_id).project
    panels = project.panels if panel_name is None else (panel_named(project, panel_name),)
    if not panels:
        raise FailedPrecondition(TEXTS.text("errors.no_panels"), field="projectId")
    schedules = [schedule(project, panel) for panel in panels]
    content = workbook(schedules, ctx.locale)
    name = f"{project.id}-{panels[0].id if len(panels) == 1 else 'panels'}.xlsx"
    file = ctx.keep_file(name, CONTENT_TYPE, content)
    ctx.show(_table(ctx, schedules[0]) if len(schedules) == 1 else _totals_table(ctx, schedules))
    names = ", ".join(isolated(each.name) for each in schedules[:5])
    return PanelSchedules(
        done=TEXTS.say(
            ctx.locale, "panel_schedule.ready", names=names + ("…" if len(schedules) > 5 else "")
        ),
        project_id=project.id,
        file_name=file.name,
        content_type=file.content_type,
        bytes=file.bytes,
        panels=[_totals(each) for each in schedules],
        files=[file],
    )


def _totals(found: Schedule) -> ScheduleTotals:
    return ScheduleTotals(
        panel_name=found.name,
        spaces=sum(1 + (row.right is not None) for row in found.rows),
        phases=[
            PhaseLoad(
                phase=phase,
                load_va=round(va, 1),
                load_amps=round(found.totals_amps[phase], 1),
            )
            for phase, va in found.totals_va.items()
        ],
        total_va=round(found.total_va, 1),
    )


def _table(ctx: ToolContext, found: Schedule) -> Display:
    """Return the table of a schedule. Columns need different names, so those of the right side say
    so."""
    names = TEXTS.data(ctx.locale, "panel_schedule.columns")
    left = [names["number"], names["description"], names["load"]]
    right, phase = [f"{name} " for name in left], names["phase"]
    columns = [*left, phase, *reversed(right)]
    rows: list[dict[str, Any]] = [
        {
            **dict(zip(left, _cells(row.left), strict=True)),
            phase: row.phase,
            **dict(zip(right, _cells(row.right), strict=True)),
        }
        for row in found.rows
    ]
    totals = ", ".join(
        f"{phase} {number(va, digits=0)} VA" for phase, va in found.totals_va.items()
    )
    return Display(
        type="table",
        title=TEXTS.say(ctx.locale, "panel_schedule.title", name=isolated(found.name)),
        text=TEXTS.say(ctx.locale, "panel_schedule.by_phase", totals=isolated(totals)),
        columns=columns,
        rows=rows,
    )


def _cells(position: Position | None) -> tuple[int | None, str | None, str | None]:
    if position is None:
        return None, None, None
    circuit = position.circuit if position.is_first else None
    va = None if position.va is None else number(position.va, digits=0)
    return position.number, isolated(circuit.description) if circuit else None, va


def _totals_table(ctx: ToolContext, schedules: list[Schedule]) -> Display:
    panel = TEXTS.data(ctx.locale, "panel_schedule.columns")["panel"]
    phases = sorted({phase for each in schedules for phase in each.totals_va})
    columns = [panel, *(f"{phase}, VA" for phase in phases)]
    rows: list[dict[str, Any]] = [
        {
            panel: isolated(each.name),
            **{f"{phase}, VA": number(va, digits=0) for phase, va in each.totals_va.items()},
        }
        for each in schedules
    ]
    return Display(type="table", columns=columns, rows=rows)
