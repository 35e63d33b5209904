"""The projects' capabilities as functions that an app calls, over the whole path with the
ledger."""

from __future__ import annotations

import re
from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.electrical.panel_schedule import export_panel_schedule
from packs.electrical.project_files import export_project, import_project
from packs.electrical.project_overview import get_project, list_projects
from packs.electrical.project_owners import delete_project, share_project
from rollcall.core.capability import Capability
from rollcall.core.context import Call, User
from rollcall.endpoints import my_data
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from tests.support.catalogs import catalog
from tests.support.local_functions import Functions, LocalPlatform, callables, use_emulator_tokens
from tests.support.user_data import all_documents

OWN = [
    *(list_projects, get_project, export_project, import_project),
    *(export_panel_schedule, share_project, delete_project),
]
SHED: dict[str, Any] = {
    "id": "shed",
    "name": "Shed",
    "building": {"occupancy": "dwelling"},
    "service": {"serviceVoltage": 240, "phases": 1, "serviceAmps": 60},
}


class App:
    """An app that calls functions, signed in as anybody."""

    def __init__(self, db: Client) -> None:
        self._functions = Functions(callables(LocalPlatform(db)))

    def call(self, name: str, arguments: Any, *, uid: str = "demo", key: str | None = None) -> Any:
        """The result of a call that works."""
        answer = self._post(name, arguments, uid, key)
        assert answer.status_code == 200, answer.get_json()
        return answer.get_json()["result"]

    def refused(self, name: str, arguments: Any, *, uid: str = "demo") -> dict[str, Any]:
        """`{status, message, details}` of a call that does not."""
        answer = self._post(name, arguments, uid, None)
        assert answer.status_code != 200
        found: dict[str, Any] = answer.get_json()["error"]
        return found

    def _post(self, name: str, arguments: Any, uid: str, key: str | None) -> Any:
        data = {"arguments": arguments, **({"callKey": key} if key else {})}
        return self._functions.post(name, data, uid=uid)


@pytest.fixture
def app(sample_projects: Client, monkeypatch: pytest.MonkeyPatch) -> App:
    use_emulator_tokens(monkeypatch.setenv)
    sync(sample_projects, [Capability.of(each) for each in OWN], catalog.agents().values())
    snapshot.forget()
    return App(sample_projects)


def test_an_app_exports_and_imports_and_gets_the_files(app: App) -> None:
    data = app.call("export_project", {"projectId": "house"})["data"]
    made = app.call("import_project", {"data": data}, uid="noa")
    assert made["created"] and made["circuits"] == 31
    sheet = app.call("export_panel_schedule", {"projectId": made["projectId"]}, uid="noa")
    [file] = sheet["files"]
    assert file["bytes"] > 1_000 and file["contentType"].endswith("sheet")
    mine = app.call("list_projects", {}, uid="noa")["projects"]
    assert [each["projectId"] for each in mine] == [made["projectId"]]


def test_an_import_that_is_sent_twice_happens_once(app: App, sample_projects: Client) -> None:
    first = app.call("import_project", {"data": SHED}, uid="noa", key="k1")
    second = app.call("import_project", {"data": SHED}, uid="noa", key="k1")
    assert first == second and first["created"]
    assert len(app.call("list_projects", {}, uid="noa")["projects"]) == 1


def test_a_wrong_field_is_named_to_the_app_and_nothing_is_written(app: App) -> None:
    data = app.call("export_project", {"projectId": "office"})["data"]
    data["panels"][2]["circuits"][5]["breakerAmps"] = -1
    error = app.refused("import_project", {"data": data}, uid="noa")
    assert error["status"] == "INVALID_ARGUMENT"
    assert error["details"]["field"] == "data.panels.2.circuits.5.breakerAmps"
    assert app.call("list_projects", {}, uid="noa")["projects"] == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_project", {}),
        ("export_project", {}),
        ("export_panel_schedule", {}),
        ("share_project", {"userId": "eve", "role": "owner"}),
        ("share_project", {"userId": "eve", "role": "none"}),
        ("delete_project", {}),
    ],
)
def test_a_stranger_is_told_the_same_of_anothers_project_and_of_none(
    app: App, name: str, arguments: dict[str, Any]
) -> None:
    theirs = app.refused(name, {**arguments, "projectId": "house"}, uid="eve")
    nobodys = app.refused(name, {**arguments, "projectId": "h0use"}, uid="eve")
    assert theirs["status"] == nobodys["status"] == "PERMISSION_DENIED"
    assert theirs["message"] == nobodys["message"].replace("h0use", "house")


def test_a_project_is_shared_and_deleted_by_its_owner(app: App, sample_projects: Client) -> None:
    app.call("share_project", {"userId": "eve", "role": "viewer", "projectId": "house"})
    assert app.call("get_project", {"projectId": "house"}, uid="eve")["role"] == "viewer"
    refused = app.refused("delete_project", {"projectId": "house"}, uid="eve")
    assert refused["status"] == "PERMISSION_DENIED"
    app.call("delete_project", {"projectId": "house"})
    assert not sample_projects.document("projects/house").get().exists


def test_who_was_added_and_erased_everything_is_named_nowhere(
    app: App, sample_projects: Client
) -> None:
    given = {"userId": "eve", "role": "viewer", "projectId": "house"}
    app.call("share_project", given, key="add-eve")
    call = Call(User("eve"), {"confirm": True})
    receipt = my_data.delete_my_data(LocalPlatform(sample_projects), call)
    left = all_documents(sample_projects)
    assert any(path.startswith("effects/") for path in left)
    naming = [path for path, data in left.items() if re.search(r"\beve\b", str(data))]
    assert naming == [f"erasures/{receipt['receiptId']}"]
    assert app.call("share_project", given, key="add-eve")["role"] == "viewer"  # it happens once
    assert sample_projects.document("projects/house").get().get("members").get("eve") is None


def test_two_imports_at_once_leave_one_whole_project(app: App, sample_projects: Client) -> None:
    from concurrent.futures import ThreadPoolExecutor

    other = {**SHED, "name": "Other", "panels": []}
    with ThreadPoolExecutor(2) as pool:
        answers = list(
            pool.map(
                lambda data: app._post("import_project", {"data": data}, "noa", None),
                [SHED, other],
            )
        )
    statuses = {answer.status_code for answer in answers}
    assert 200 in statuses and statuses <= {200, 409}
    assert len(app.call("list_projects", {}, uid="noa")["projects"]) == 1
