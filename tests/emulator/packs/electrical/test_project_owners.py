"""Members of a project, and its deletion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition as Refused
from google.cloud.firestore import Client

from packs.electrical.project_overview import get_project
from packs.electrical.project_owners import delete_project, share_project
from rollcall.core.capability import Capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import (
    AgentError,
    FailedPrecondition,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
)

from .writes import preview, undo, write

AtWork = Callable[..., ToolContext]


def members(db: Client, id: str = "house") -> dict[str, str]:
    stored = db.document(f"projects/{id}").get().to_dict() or {}
    assert stored["memberIds"] == sorted(stored["members"])
    found: dict[str, str] = stored["members"]
    return found


def share(ctx: ToolContext, user_id: str, role: Any, project_id: str = "house") -> dict[str, Any]:
    return write(ctx, share_project, user_id=user_id, role=role, project_id=project_id)


def test_an_owner_adds_somebody_who_sees_it_from_then_on(
    sample_projects: Client, at_work: AtWork
) -> None:
    with pytest.raises(PermissionDenied):
        get_project(at_work("noa"), project_id="house")
    result = share(at_work(writes=True), "noa", "viewer")
    assert (result["previousRole"], result["role"], result["isOwn"]) == ("none", "viewer", False)
    assert members(sample_projects) == {"demo": "owner", "dan": "viewer", "noa": "viewer"}
    assert get_project(at_work("noa"), project_id="house").role == "viewer"


def test_a_role_is_changed_and_taken_and_given_back_by_undo(
    sample_projects: Client, at_work: AtWork
) -> None:
    for role in ("member", "none"):
        given = {"userId": "dan", "role": role, "projectId": "house"}
        result = share(at_work(writes=True), "dan", role)
        assert members(sample_projects).get("dan", "none") == role
        undo(at_work(writes=True), share_project, share_project, given, result)
        assert members(sample_projects)["dan"] == "viewer"


def test_who_is_taken_out_sees_nothing_more(sample_projects: Client, at_work: AtWork) -> None:
    share(at_work(writes=True), "dan", "none")
    with pytest.raises(PermissionDenied):
        get_project(at_work("dan"), project_id="house")


@pytest.mark.parametrize("uid", ["dan", "eve"])
@pytest.mark.parametrize(("user", "role"), [("eve", "owner"), ("dan", "owner"), ("demo", "none")])
def test_only_owners_share(
    sample_projects: Client, at_work: AtWork, uid: str, user: str, role: Any
) -> None:
    for call in (share_project, Capability.of(share_project).mark.preview):
        assert call is not None
        with pytest.raises(PermissionDenied):
            call(at_work(uid, writes=True), user_id=user, role=role, project_id="house")


def test_everybody_may_leave_and_not_undo_it(sample_projects: Client, at_work: AtWork) -> None:
    result = share(at_work("dan", writes=True), "dan", "none")
    assert "dan" not in members(sample_projects) and result["isOwn"]
    assert Capability.of(share_project).undo({"role": "none"}, result) is None


@pytest.mark.parametrize("role", ["none", "member", "viewer"])
def test_the_last_owner_stays(sample_projects: Client, at_work: AtWork, role: Any) -> None:
    with pytest.raises(FailedPrecondition, match="at least one owner"):
        share_project(at_work(writes=True), user_id="demo", role=role, project_id="house")
    share(at_work(writes=True), "dan", "owner")
    share(at_work(writes=True), "demo", role)
    assert members(sample_projects)["dan"] == "owner"


@pytest.mark.parametrize(
    ("user", "role", "error", "words"),
    [
        ("dan", "viewer", FailedPrecondition, "is viewer already"),
        ("eve", "none", FailedPrecondition, "is none already"),
        ("nobody-1", "viewer", NotFound, "no user of this id"),
        ("a/b", "viewer", NotFound, "no user of this id"),
    ],
)
def test_what_changes_nothing_or_names_nobody_is_refused(
    sample_projects: Client,
    at_work: AtWork,
    user: str,
    role: Any,
    error: type[AgentError],
    words: str,
) -> None:
    with pytest.raises(error, match=words):
        share_project(at_work(writes=True), user_id=user, role=role, project_id="house")


def test_at_most_a_hundred_people_are_in_a_project(
    sample_projects: Client, at_work: AtWork
) -> None:
    crowd = {"demo": "owner"} | {f"u{number}": "viewer" for number in range(99)}
    sample_projects.document("projects/house").update({"members": crowd})
    with pytest.raises(ResourceExhausted, match="at most 100"):
        share_project(at_work(writes=True), user_id="noa", role="viewer", project_id="house")


def test_nobody_is_added_to_more_projects_than_leave_them_room(
    sample_projects: Client, at_work: AtWork
) -> None:
    batch = sample_projects.batch()
    for number in range(100):
        batch.set(sample_projects.document(f"projects/p{number}"), {"memberIds": ["noa"]})
    batch.commit()
    with pytest.raises(ResourceExhausted, match="others may add a user to") as caught:
        share_project(at_work(writes=True), user_id="noa", role="viewer", project_id="house")
    assert caught.value.field == "userId" and "100" not in caught.value.message


def test_a_user_id_with_dots_is_one_person(sample_projects: Client, at_work: AtWork) -> None:
    share(at_work(writes=True), "a.b.c", "member")
    assert members(sample_projects)["a.b.c"] == "member"


def test_who_is_asked_sees_whom_and_what_and_the_project_is_settled(
    sample_projects: Client, at_work: AtWork
) -> None:
    given = {"userId": "dan", "role": "member"}
    shown = preview(at_work(project="house"), share_project, **given)
    assert shown.display.text == "The role of \u2068dan\u2069: viewer → member"
    assert shown.arguments == {**given, "projectId": "house"}
    hebrew = preview(at_work(project="house", locale="he"), share_project, **given).display
    assert hebrew.title == "לשתף את \u2068Maple Street house\u2069?" and "צופה" in hebrew.text


@pytest.mark.parametrize("role", ["owner", "member", "viewer", "none"])
def test_a_summary_says_what_would_happen(role: str) -> None:
    capability = Capability.of(share_project)
    given = {"userId": "dan", "role": role, "projectId": "house"}
    for locale in ("en", "he"):
        text = capability.summarize(given, locale)
        assert "dan" in text and "house" in text


def test_two_owners_who_share_at_once_do_not_undo_each_other(
    sample_projects: Client, at_work: AtWork
) -> None:
    first, second = at_work(writes=True), at_work(writes=True)
    share_project(first, user_id="noa", role="viewer", project_id="house")
    share_project(second, user_id="eve", role="viewer", project_id="house")
    first.batch.commit()
    with pytest.raises(Refused):
        second.batch.commit()
    assert "noa" in members(sample_projects) and "eve" not in members(sample_projects)


def test_an_owner_deletes_a_project_and_nothing_of_it_is_left(
    sample_projects: Client, at_work: AtWork
) -> None:
    result = write(at_work(writes=True), delete_project, project_id="house")
    assert (result["name"], result["panels"]) == ("Maple Street house", 2)
    assert not sample_projects.document("projects/house").get().exists
    assert list(sample_projects.collection("projects/house/panels").stream()) == []
    assert sample_projects.document("projects/office").get().exists


@pytest.mark.parametrize(
    ("uid", "project"), [("dan", "house"), ("eve", "house"), ("demo", "office"), ("demo", "none")]
)
def test_nobody_else_deletes_a_project(
    sample_projects: Client, at_work: AtWork, uid: str, project: str
) -> None:
    for call in (delete_project, Capability.of(delete_project).mark.preview):
        assert call is not None
        with pytest.raises(PermissionDenied):
            call(at_work(uid, writes=True), project_id=project)


def test_a_project_that_cannot_be_read_can_be_deleted(
    sample_projects: Client, at_work: AtWork
) -> None:
    sample_projects.document("projects/house").update({"service": "none"})
    write(at_work(writes=True), delete_project, project_id="house")
    assert not sample_projects.document("projects/house").get().exists


def test_who_is_asked_to_delete_sees_how_much_goes_and_for_how_many(
    sample_projects: Client, at_work: AtWork
) -> None:
    shown = preview(at_work(), delete_project, projectId="house").display
    assert shown.title == "Delete \u2068Maple Street house\u2069?"
    assert "everyone in it (2), with all its panels (2)" in shown.text
    hebrew = preview(at_work(locale="he"), delete_project, projectId="house").display
    assert "למחוק את" in hebrew.title
