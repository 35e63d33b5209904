"""Panel schedules, as files for people and as text for models."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from google.cloud.firestore import Client

from packs.electrical.panel_schedule import PanelSchedules, export_panel_schedule
from rollcall.agent.router import without_files
from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition, NotFound, PermissionDenied
from rollcall.store.files import FileStore
from tests.support.spreadsheets import sheets

AtWork = Callable[..., ToolContext]


def read(ctx: ToolContext, found: PanelSchedules) -> bytes:
    """The file's content, as its owner reads it."""
    [file] = found.files
    store = FileStore(ctx.db)
    return b"".join(store.open(store.find_own(ctx.user.uid, file.file_id)))


def test_one_panel_is_one_sheet_with_its_totals(sample_projects: Client, at_work: AtWork) -> None:
    ctx = at_work(project="office")
    found = export_panel_schedule(ctx, panel_name="LP1")
    [sheet] = sheets(read(ctx, found))
    assert (sheet.name, found.file_name) == ("LP1", "office-lp1.xlsx")
    [totals] = found.panels
    assert totals.total_va == 25_360 and [each.phase for each in totals.phases] == ["A", "B", "C"]
    assert sum(each.load_va for each in totals.phases) == pytest.approx(25_360, abs=0.2)
    assert ctx.display is not None and len(ctx.display.rows or []) == 21


def test_all_panels_are_a_sheet_each(sample_projects: Client, at_work: AtWork) -> None:
    ctx = at_work()
    found = export_panel_schedule(ctx, project_id="office")
    names = [sheet.name for sheet in sheets(read(ctx, found))]
    assert sorted(names) == ["DP1", "HP1", "LP1", "LP2", "MDP", "SR"]
    assert found.file_name == "office-panels.xlsx"
    assert found.bytes == len(read(ctx, found))


def test_a_model_is_told_the_totals_and_given_no_file(
    sample_projects: Client, at_work: AtWork
) -> None:
    capability = Capability.of(export_panel_schedule)
    seen = capability.call_visibly(at_work(), {"projectId": "house", "panelName": "garage"})
    assert seen["panels"][0]["totalVa"] == 14_480
    told, [file] = without_files(seen)
    assert told["files"] == [{"name": "house-garage.xlsx", "bytes": file.bytes}]
    called = capability.call(at_work(), {"projectId": "house", "panelName": "garage"})
    assert called["files"][0]["name"] == file.name and called["files"][0]["fileId"]


def test_a_hebrew_reader_gets_hebrew_sheets(sample_projects: Client, at_work: AtWork) -> None:
    ctx = at_work(project="dira", locale="he")
    found = export_panel_schedule(ctx, panel_name="לוח הדירה")
    [sheet] = sheets(read(ctx, found))
    assert sheet.right_to_left and sheet.name == "לוח דירה"
    assert found.done.startswith("טבלת המעגלים מוכנה")
    assert ctx.display is not None and "פאזה" in (ctx.display.columns or [])


def test_what_is_not_the_users_or_not_there_is_refused(
    sample_projects: Client, at_work: AtWork
) -> None:
    with pytest.raises(PermissionDenied):
        export_panel_schedule(at_work("eve"), project_id="house")
    with pytest.raises(NotFound, match="no panel 'attic'"):
        export_panel_schedule(at_work(), project_id="house", panel_name="attic")
    sample_projects.document("projects/house/panels/main").delete()
    sample_projects.document("projects/house/panels/garage").delete()
    house = sample_projects.document("projects/house")
    house.update({"feeders": [], "service.panelId": None})
    with pytest.raises(FailedPrecondition, match="no panels"):
        export_panel_schedule(at_work(), project_id="house")
