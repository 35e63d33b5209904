"""The capability `export_panel_schedule`: panel schedules as a spreadsheet."""

from __future__ import annotations

from typing import Any

from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import RecordId
from packs.electrical.projects.schedule import Position, Schedule, schedule, sheet
from packs.electrical.projects.selection import PanelName, panel_named
from packs.electrical.results import table
from packs.electrical.wording import TEXTS, number
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Display, FileRef, Wire
from rollcall.core.texts import isolated
from rollcall.render.spreadsheet import XLSX, xlsx


class PhaseLoad(Wire):
    """The connected load of one phase of a panel: VA, and A to neutral."""

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
    """The result of export_panel_schedule. `get_file` reads the file that `files` names."""

    done: str
    project_id: str
    file_name: str
    content_type: str
    bytes: int
    panels: list[ScheduleTotals]
    files: list[FileRef]


@capability(
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
    project = open_project(ctx, project_id).project
    panels = project.panels if panel_name is None else (panel_named(project, panel_name),)
    if not panels:
        raise FailedPrecondition(TEXTS.text("errors.no_panels"), field="projectId")
    schedules = [schedule(project, panel) for panel in panels]
    content = xlsx([sheet(each, ctx.locale) for each in schedules])
    name = f"{project.id}-{panels[0].id if len(panels) == 1 else 'panels'}.xlsx"
    file = ctx.keep_file(name, XLSX, content)
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
        panels=[
            ScheduleTotals(
                panel_name=each.name,
                spaces=sum(1 + (row.right is not None) for row in each.rows),
                phases=[
                    PhaseLoad(
                        phase=phase,
                        load_va=round(va, 1),
                        load_amps=round(each.totals_amps[phase], 1),
                    )
                    for phase, va in each.totals_va.items()
                ],
                total_va=round(each.total_va, 1),
            )
            for each in schedules
        ],
        files=[file],
    )


def _table(ctx: ToolContext, shown: Schedule) -> Display:
    """The table of a schedule. The columns of the right side end in a space, since names differ."""
    names = TEXTS.data(ctx.locale, "panel_schedule.columns")
    left = [names["number"], names["description"], names["load"]]
    right, phase = [f"{name} " for name in left], names["phase"]
    columns = [*left, phase, *reversed(right)]
    rows = [(*_cells(row.left), row.phase, *reversed(_cells(row.right))) for row in shown.rows]
    totals = ", ".join(
        f"{phase} {number(va, digits=0)} VA" for phase, va in shown.totals_va.items()
    )
    return Display(
        type="table",
        title=TEXTS.say(ctx.locale, "panel_schedule.title", name=isolated(shown.name)),
        text=TEXTS.say(ctx.locale, "panel_schedule.by_phase", totals=isolated(totals)),
        **table(columns, rows),
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
