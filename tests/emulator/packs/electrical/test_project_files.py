"""Projects exported and imported as files."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition as Refused
from google.cloud.firestore import Client

from packs.electrical.project_files import export_project, import_project
from packs.electrical.project_owners import delete_project
from packs.electrical.projects.access import open_project
from packs.electrical.projects.records import MAX_PANELS, MAX_SPACES
from rollcall.core.capability import Capability, plain
from rollcall.core.context import ToolContext
from rollcall.core.errors import (
    FailedPrecondition,
    InvalidArgument,
    PermissionDenied,
    ResourceExhausted,
)
from tests.support.firestore_operations import count_operations

from .writes import preview, undo, write

GONE = object()
AtWork = Callable[..., ToolContext]
SHED: dict[str, Any] = {
    "id": "shed",
    "name": "Shed",
    "building": {"occupancy": "dwelling"},
    "service": {"serviceVoltage": 240, "phases": 1, "serviceAmps": 60},
    "panels": [
        {
            "id": "p",
            "name": "Panel",
            "voltage": 240,
            "phases": 1,
            "busRating": 60,
            "spaces": 8,
            "circuits": [{"id": "c", "circuitNumber": 1, "description": "Lamp", "breakerAmps": 15}],
        }
    ],
}


def put(data: Any, path: str, value: Any) -> None:
    """Set one value of a project: `panels.0.circuits.1.poles`."""
    *holders, last = path.split(".")
    for part in holders:
        data = data[int(part)] if isinstance(data, list) else data[part]
    if value is GONE:
        del data[last]
    else:
        data[last] = value


def data_of(ctx: ToolContext, project_id: str) -> dict[str, Any]:
    found: dict[str, Any] = plain(export_project(ctx, project_id=project_id))["data"]
    return found


@pytest.mark.parametrize("id", ["house", "office", "workshop", "dira"])
def test_an_export_imports_as_the_same_project(
    sample_projects: Client, at_work: AtWork, id: str
) -> None:
    before = open_project(at_work(), id).project
    result = write(at_work("noa", writes=True), import_project, data=data_of(at_work(), id))
    again = open_project(at_work("noa"), result["projectId"]).project
    assert result["created"] and result["projectId"] != id
    assert again.model_copy(update={"id": id}) == before


def test_an_export_is_for_the_app_and_a_model_hears_of_it(
    sample_projects: Client, at_work: AtWork
) -> None:
    capability = Capability.of(export_project)
    seen = capability.call_visibly(at_work(), {"projectId": "house"})
    assert "data" not in seen and "EV charger" not in json.dumps(seen)
    assert (seen["panels"], seen["circuits"]) == (2, 31)
    assert capability.call(at_work(), {"projectId": "house"})["data"]["edition"] == 2023


def test_a_new_project_is_the_importers_own(db: Client, at_work: AtWork) -> None:
    result = write(at_work("noa", writes=True), import_project, data=SHED)
    stored = db.document(f"projects/{result['projectId']}").get().to_dict() or {}
    assert (stored["members"], stored["memberIds"]) == ({"noa": "owner"}, ["noa"])
    assert (stored["schemaVersion"], stored["panelCount"]) == (1, 1)
    assert stored["createdAt"] and result["done"] == "Imported \u2068Shed\u2069: 1 panel, 1 circuit"


def test_the_same_import_twice_is_one_project(db: Client, at_work: AtWork) -> None:
    first = write(at_work("noa", writes=True), import_project, data=SHED)
    second = write(at_work("noa", writes=True), import_project, data=json.dumps(SHED))
    assert (first["created"], second["created"]) == (True, False)
    assert first["projectId"] == second["projectId"]
    assert len(list(db.collection("projects").stream())) == 1


def test_two_users_importing_one_file_have_a_project_each(db: Client, at_work: AtWork) -> None:
    ids = {
        write(at_work(uid, writes=True), import_project, data=SHED)["projectId"]
        for uid in ("noa", "dan", "eve")
    }
    assert len(ids) == 3 and "shed" not in ids


def test_an_owner_replaces_all_of_a_project_but_who_is_in_it(
    sample_projects: Client, at_work: AtWork
) -> None:
    result = write(at_work(writes=True), import_project, data={**SHED, "id": "house"})
    assert (result["projectId"], result["created"]) == ("house", False)
    stored = sample_projects.document("projects/house").get().to_dict() or {}
    assert stored["members"] == {"demo": "owner", "dan": "viewer"}
    assert "grounding" in stored and stored["feeders"] == []
    panels = {each.id for each in sample_projects.collection("projects/house/panels").stream()}
    assert panels == {"p"}
    assert open_project(at_work("dan"), "house").project.name == "Shed"


@pytest.mark.parametrize("uid", ["demo", "omer"])
def test_members_and_viewers_do_not_replace(
    sample_projects: Client, at_work: AtWork, uid: str
) -> None:
    for call in (import_project, Capability.of(import_project).mark.preview):
        assert call is not None
        with pytest.raises(PermissionDenied, match="needs the role owner"):
            call(at_work(uid, writes=True), data={**SHED, "id": "office"})


def test_a_stranger_who_imports_anothers_id_touches_nothing_of_theirs(
    sample_projects: Client, at_work: AtWork
) -> None:
    before = sample_projects.document("projects/house").get()
    with count_operations() as count:
        result = write(at_work("eve", writes=True), import_project, data={**SHED, "id": "house"})
    assert count.reads == 4  # the project, but not its panels; hers, its panels, and how many
    assert result["created"] and result["projectId"] != "house"
    assert sample_projects.document("projects/house").get().update_time == before.update_time


@pytest.mark.parametrize(
    ("path", "value", "field", "words"),
    [
        ("panels.1.circuits.0.breakerAmps", "x", "panels.1.circuits.0.breakerAmps", "integer"),
        ("panels.0.phases", 2, "panels.0.phases", "1 or 3"),
        ("panels.0.busRating", GONE, "panels.0.busRating", "is missing"),
        ("panels.0.owner", "eve", "panels.0.owner", "is not known here"),
        ("members", {"eve": "owner"}, "members", "is not known here"),
        ("schemaVersion", 9, "schemaVersion", "9 is not known here; 1 is"),
        ("panels.0.name", "a\0b", "panels[0].name", "NUL"),
        ("panels.0.busRating", float("nan"), "panels[0].busRating", "finite"),
        ("id", GONE, "id", "is missing"),
        ("feeders.0.targetId", "attic", "", "'Garage feeder' names 'attic'"),
    ],
)
def test_what_is_wrong_is_named_by_its_path_and_nothing_is_written(
    sample_projects: Client,
    at_work: AtWork,
    path: str,
    value: Any,
    field: str,
    words: str,
) -> None:
    data = deepcopy(data_of(at_work(), "house"))
    put(data, path, value)
    ctx = at_work(writes=True)
    with pytest.raises(InvalidArgument) as caught:
        import_project(ctx, data=data)
    assert caught.value.field == f"data.{field}".removesuffix(".")
    assert words in caught.value.message
    assert len(ctx.batch) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [("{", "no JSON"), ("[]", "must be a project"), ("[" * 100_000, "nested too deeply")],
)
def test_a_text_that_is_no_project_is_refused(at_work: AtWork, text: str, words: str) -> None:
    with pytest.raises(InvalidArgument, match=words) as caught:
        import_project(at_work(writes=True), data=text)
    assert caught.value.field == "data"


def test_who_is_asked_sees_what_would_come_and_go(sample_projects: Client, at_work: AtWork) -> None:
    data = data_of(at_work(), "house")
    data["panels"] = [data["panels"][1], {**SHED["panels"][0], "name": "New panel"}]
    data["panels"][0]["aicRating"] = 22_000
    data["service"].pop("panelId")
    data.pop("feeders")
    shown = preview(at_work(), import_project, data=data).display
    assert shown.title == "Replace \u2068Maple Street house\u2069?"
    changes = {row["Panel"]: row["Change"] for row in shown.rows}
    assert changes == {
        "\u2068Main Panel\u2069": "replaced",
        "\u2068New panel\u2069": "new",
        "\u2068Garage Subpanel\u2069": "removed",
    }
    new = preview(at_work("noa", locale="he"), import_project, data=SHED).display
    assert new.title == "לייבא את \u2068Shed\u2069?"
    assert new.rows[0]["שינוי"] == "חדש"


def test_an_approval_does_not_carry_a_huge_project(at_work: AtWork) -> None:
    with pytest.raises(FailedPrecondition, match="not imported through an agent"):
        preview(at_work(), import_project, data=" " * 150_001)


def test_a_new_project_can_be_taken_back_and_a_replaced_one_cannot(
    sample_projects: Client, at_work: AtWork
) -> None:
    given = {"data": SHED}
    result = write(at_work("noa", writes=True), import_project, data=SHED)
    undo(at_work("noa", writes=True), import_project, delete_project, given, result)
    assert not sample_projects.document(f"projects/{result['projectId']}").get().exists
    house = {**SHED, "id": "house"}
    result = write(at_work(writes=True), import_project, data=house)
    assert Capability.of(import_project).undo({"data": house}, result) is None


def test_a_summary_tells_the_name_where_it_can() -> None:
    capability = Capability.of(import_project)
    assert capability.summarize({"data": SHED}, "en") == "Import the project \u2068Shed\u2069"
    assert capability.summarize({"data": json.dumps(SHED)}, "en") == "Import the project"
    assert "לייבא" in capability.summarize({"data": SHED}, "he")


def test_an_import_refuses_what_was_edited_meanwhile(
    sample_projects: Client, at_work: AtWork
) -> None:
    ctx = at_work(writes=True)
    import_project(ctx, data={**SHED, "id": "house"})
    sample_projects.document("projects/house/panels/main").update({"circuits": []})
    with pytest.raises(Refused):
        ctx.batch.commit()
    assert len(open_project(at_work(), "house").project.panels) == 2


def test_a_damaged_project_is_mended_by_an_import(sample_projects: Client, at_work: AtWork) -> None:
    sample_projects.document("projects/house").update({"service": "none"})
    house = {**SHED, "id": "house"}
    assert preview(at_work(), import_project, data=house).display.title.startswith("Replace")
    write(at_work(writes=True), import_project, data=house)
    assert open_project(at_work(), "house").project.name == "Shed"


def test_a_user_has_at_most_two_hundred_projects(db: Client, at_work: AtWork) -> None:
    batch = db.batch()
    for number in range(200):
        batch.set(db.document(f"projects/p{number}"), {"memberIds": ["noa"]})
    batch.commit()
    with pytest.raises(ResourceExhausted, match="at most 200"):
        import_project(at_work("noa", writes=True), data=SHED)


def large(circuits: int, *, description: str) -> str:
    """100 panels of so many circuits each, as text."""
    circuit = {"description": description, "breakerAmps": 20, "conductorSize": "12"}
    panel = {"voltage": 208, "phases": 3, "busRating": 225, "spaces": MAX_SPACES}
    panels = [
        {
            "id": f"p{at}",
            "name": f"P{at}",
            **panel,
            "circuits": [
                {"id": f"p{at}-{place}", "circuitNumber": place, **circuit}
                for place in range(1, circuits + 1)
            ],
        }
        for at in range(MAX_PANELS)
    ]
    return json.dumps({**SHED, "panels": panels}, ensure_ascii=False)


def test_the_largest_project_is_imported_at_once_and_opened_with_a_read_a_panel(
    db: Client, at_work: AtWork
) -> None:
    ctx = at_work("noa", writes=True)
    with count_operations() as writing:
        result = write(ctx, import_project, data=large(84, description="lighting"))
    assert (result["panels"], result["circuits"]) == (100, 8_400)
    assert (writing.writes, writing.reads) == (101, 4)  # two projects, no panels, how many
    with count_operations() as count:
        opened = open_project(at_work("noa"), result["projectId"])
    assert len(opened.project.panels) == 100
    assert (count.reads, count.writes, count.round_trips) == (101, 0, 2)


def test_a_project_too_large_for_one_commit_is_refused(db: Client, at_work: AtWork) -> None:
    ctx = at_work("noa", writes=True)
    with pytest.raises(InvalidArgument, match="at most 3,500,000 are kept") as caught:
        import_project(ctx, data=large(84, description="א" * 200))
    assert caught.value.field == "data.panels"
