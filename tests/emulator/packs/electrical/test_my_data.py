"""A user's data in projects, exported and erased."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.electrical.my_data import remaining_members
from rollcall.core.context import Call, User
from rollcall.endpoints import my_data
from tests.support.local_functions import LocalPlatform
from tests.support.user_data import all_documents


def export(db: Client, uid: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor = None
    while True:
        given = {"cursor": cursor} if cursor else {}
        page = my_data.export_my_data(LocalPlatform(db), Call(User(uid), given))
        items += [item for item in page["items"] if item["kind"] == "projects"]
        cursor = page["cursor"]
        if cursor is None:
            return items


def erase(db: Client, uid: str) -> dict[str, Any]:
    found: dict[str, Any] = my_data.delete_my_data(
        LocalPlatform(db), Call(User(uid), {"confirm": True})
    )
    return found


def projects(db: Client) -> dict[str, dict[str, str]]:
    found = db.collection("projects").stream()
    return {each.id: (each.to_dict() or {})["members"] for each in found}


def test_an_export_has_each_project_whole_and_no_one_else(sample_projects: Client) -> None:
    items = {item["id"]: item["data"] for item in export(sample_projects, "demo")}
    assert items.keys() == {"house", "office", "workshop", "dira"}
    house = items["house"]
    assert (house["myRole"], house["name"]) == ("owner", "Maple Street house")
    circuits = sum(len(panel["circuits"]) for panel in house["panels"])
    assert (len(house["panels"]), circuits) == (2, 31)
    assert "'dan'" not in str(items) and "'maya'" not in str(items)


def test_an_export_has_nothing_of_projects_one_is_not_in(sample_projects: Client) -> None:
    assert {item["id"] for item in export(sample_projects, "omer")} == {"office"}
    assert export(sample_projects, "eve") == []


@pytest.mark.parametrize(
    ("members", "left"),
    [
        ({"me": "owner"}, {}),
        ({"me": "viewer"}, {}),
        ({"me": "owner", "ann": "viewer"}, {}),
        ({"me": "owner", "ann": "owner"}, {"ann": "owner"}),
        ({"me": "member", "ann": "owner"}, {"ann": "owner"}),
        (
            {"me": "owner", "bea": "member", "ann": "member", "abe": "viewer"},
            {"bea": "member", "ann": "owner", "abe": "viewer"},
        ),
    ],
)
def test_a_project_goes_on_where_somebody_works_on_it(members: Any, left: Any) -> None:
    assert remaining_members(members, "me") == left


def test_an_erased_user_leaves_and_what_nobody_works_on_goes(sample_projects: Client) -> None:
    receipt = erase(sample_projects, "demo")
    assert receipt["status"] == "done" and receipt["removed"]["projects"] == 4
    assert projects(sample_projects) == {
        "office": {"maya": "owner", "omer": "viewer"},
        "workshop": {"dan": "owner"},
    }
    after = all_documents(sample_projects)
    about = [path for path in after if path.startswith(("projects/house", "projects/dira"))]
    assert about == []
    assert "'demo'" not in str({k: v for k, v in after.items() if k.startswith("projects/")})
    assert after["projects/workshop"]["memberIds"] == ["dan"]


def test_erasing_twice_erases_once_and_touches_nobody_else(sample_projects: Client) -> None:
    erase(sample_projects, "dan")
    before = {k: v for k, v in all_documents(sample_projects).items() if k.startswith("projects/")}
    erase(sample_projects, "dan")
    after = {k: v for k, v in all_documents(sample_projects).items() if k.startswith("projects/")}
    assert after == before
    assert projects(sample_projects)["house"] == {"demo": "owner"}


def test_who_is_in_no_project_erases_none(sample_projects: Client) -> None:
    before = projects(sample_projects)
    assert "projects" not in erase(sample_projects, "eve")["removed"]
    assert projects(sample_projects) == before
