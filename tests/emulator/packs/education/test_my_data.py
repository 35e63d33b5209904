"""A user's data in the education pack, exported and erased."""

from __future__ import annotations

from typing import Any

from google.cloud.firestore import Client

from rollcall.core.context import Call, User
from rollcall.endpoints import my_data
from tests.support.local_functions import LocalPlatform
from tests.support.packs.education.classroom import add_attempt, add_course
from tests.support.user_data import all_documents


def export(db: Client, uid: str) -> dict[str, list[dict[str, Any]]]:
    items: dict[str, list[dict[str, Any]]] = {}
    cursor = None
    while True:
        given = {"cursor": cursor} if cursor else {}
        page = my_data.export_my_data(LocalPlatform(db), Call(User(uid), given))
        for item in page["items"]:
            items.setdefault(item["kind"], []).append(item["data"])
        cursor = page["cursor"]
        if cursor is None:
            return items


def erase(db: Client, uid: str) -> dict[str, int]:
    found = my_data.delete_my_data(LocalPlatform(db), Call(User(uid), {"confirm": True}))
    assert found["status"] == "done"
    removed: dict[str, int] = found["removed"]
    return removed


def test_a_teacher_takes_the_own_material_whole_and_nobodys_names(school: Client) -> None:
    found = export(school, "ada")
    assert len(found["contents"]) == 2 and len(found["courses"]) == 1
    assert {len(each["keys"]) for each in found["contents"]} == {5}
    assert "Zipora" not in str(found) and "dov" not in str(found)
    assert export(school, "nobody") == {}


def test_a_pupil_takes_the_own_place_and_attempts(school: Client) -> None:
    for number in (1, 2):
        add_attempt(school, f"math4-{number}", answers={"1": ("apply", 1.0)})
    found = export(school, "math4-1")
    assert [each["name"] for each in found["placesInCourses"]] == ["Zipora1 Levi"]
    assert len(found["attempts"]) == 1 and "Zipora2" not in str(found)


def test_an_erased_teacher_leaves_the_course_to_the_others(school: Client) -> None:
    add_course(school, "alone", ["ada"])
    school.document("prompts/p").set({"uid": "ada", "shared": True})
    school.document("promptRatings/x_ada").set({"uid": "ada", "promptId": "x", "stars": 3})
    removed = erase(school, "ada")
    assert (removed["courses"], removed["contents"]) == (2, 2)
    after = {path for path in all_documents(school) if not path.startswith("erasures")}
    assert school.document("courses/math4").get().get("teacherIds") == ["dov"]
    assert not [path for path in after if path.startswith(("contents", "prompt"))]
    assert [path for path in after if path.startswith("courses/alone")] == ["courses/alone"]
    left = school.document("courses/alone").get().to_dict()
    assert left == {"teacherIds": [], "schemaVersion": 1} and erase(school, "ada") == {}
    assert sum(path.startswith("courses/math4/students") for path in after) == 6


def test_an_erased_pupil_is_in_no_course_and_in_no_figure(school: Client) -> None:
    add_attempt(school, "math4-1", answers={"1": ("apply", 1.0)})
    add_attempt(school, "math4-2", answers={"1": ("apply", 1.0)})
    erase(school, "math4-1")
    after = {k: v for k, v in all_documents(school).items() if not k.startswith("erasures")}
    assert "math4-1" not in str(after)
    assert sum(path.startswith("attempts") for path in after) == 1
    assert erase(school, "math4-1") == {}
