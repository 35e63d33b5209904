"""Nobody finds anything of another's: by search, by list, by id, by claims they lost or made up."""

from __future__ import annotations

import itertools

import pytest

from packs.knowledge.deleting import delete_document
from packs.knowledge.listing import list_documents
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import NotFound, PermissionDenied
from rollcall.core.wire import Role
from rollcall.knowledge.found import Scope
from tests.support.knowledge import ANN, BEN, EVE, Library

TEXT = "The zanzibar clause of {who} is about grounding.\n"
ADMIN = User("adam", role=Role.ADMIN)
NORTH_ADMIN = User("nora", role=Role.ADMIN, tenant="north")
SOUTH_TEACHER = User("sue", role=Role.TEACHER, tenant="south")
NOWHERE = User("ned")
EVERYONE = [ANN, BEN, EVE, ADMIN, NORTH_ADMIN, SOUTH_TEACHER, NOWHERE]

MAY: dict[str, set[str]] = {
    "ann": {"anns-own", "north-team"},
    "ben": {"bens-own", "north-team"},
    "nora": {"north-team"},
    "eve": {"eves-own", "south-team"},
    "sue": {"south-team"},
    "adam": set(),
    "ned": set(),
}


@pytest.fixture
def ids(library: Library) -> dict[str, str]:
    """Documents by name: three people's own, and those of two teams."""
    uploads = [
        (ANN, "anns-own", "user"),
        (BEN, "bens-own", "user"),
        (EVE, "eves-own", "user"),
        (ANN, "north-team", "team"),
        (SOUTH_TEACHER, "south-team", "team"),
    ]
    return {
        name: library.add(user, TEXT.format(who=name), f"{name}.txt", scope=scope)
        for user, name, scope in uploads
    }


@pytest.mark.parametrize("scope", ["mine", "team", "all"])
def test_a_search_finds_what_the_user_may_read_and_nothing_else(
    library: Library, ids: dict[str, str], scope: Scope
) -> None:
    for user in EVERYONE:
        found = library.titles(user, "zanzibar clause grounding", scope=scope)
        assert found <= MAY[user.uid]
        if scope == "all":
            assert found == MAY[user.uid]


def test_a_list_names_what_the_user_may_read_and_nothing_else(
    library: Library, ids: dict[str, str]
) -> None:
    for user in EVERYONE:
        listed = list_documents(library.ctx(user))
        assert {each.title for each in listed.documents} == MAY[user.uid]
        assert listed.all_listed


def test_an_id_gives_no_right(library: Library, ids: dict[str, str]) -> None:
    for user, (name, id) in itertools.product(EVERYONE, ids.items()):
        if name in MAY[user.uid]:
            assert library.search(user, "zanzibar", document_id=id).passages
        else:
            with pytest.raises(NotFound) as refused:
                library.search(user, "zanzibar", document_id=id)
            assert name not in refused.value.message


@pytest.mark.parametrize("id", ["", "nothing", "a/b", "../documents", "x" * 40])
def test_an_id_of_nothing_is_not_found(library: Library, ids: dict[str, str], id: str) -> None:
    with pytest.raises(NotFound):
        library.search(ANN, "zanzibar", document_id=id)


def test_what_the_client_says_gives_no_right(library: Library, ids: dict[str, str]) -> None:
    ctx = ToolContext(
        user=NOWHERE,
        platform=library.platform,
        context={"tenant": "north", "uid": "ann", "role": "admin"},
    )
    assert list_documents(ctx).documents == []


def test_who_leaves_a_team_finds_its_documents_no_more(
    library: Library, ids: dict[str, str]
) -> None:
    assert "north-team" in library.titles(BEN, "zanzibar")
    moved = User("ben", tenant="south")
    assert library.titles(moved, "zanzibar") == {"bens-own", "south-team"}
    left = User("ann", role=Role.TEACHER)
    assert library.titles(left, "zanzibar") == {"anns-own", "north-team"}  # her own upload


def test_only_the_uploader_or_an_admin_of_the_team_deletes(
    library: Library, ids: dict[str, str]
) -> None:
    for user in (BEN, User("ted", role=Role.TEACHER, tenant="north")):
        with pytest.raises(PermissionDenied):
            delete_document(library.ctx(user), document_id=ids["north-team"])
    for user in (EVE, ADMIN, SOUTH_TEACHER):
        with pytest.raises(NotFound):
            delete_document(library.ctx(user), document_id=ids["north-team"])
    with pytest.raises(NotFound):
        delete_document(library.ctx(NORTH_ADMIN), document_id=ids["anns-own"])
    ctx = library.ctx(NORTH_ADMIN)
    ctx.effects = library.db.batch()
    assert delete_document(ctx, document_id=ids["north-team"]).title == "north-team"
    ctx.effects.commit()
    assert "north-team" not in library.titles(ANN, "zanzibar")
