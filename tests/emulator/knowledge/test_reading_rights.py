"""Nobody reads another's documents: by search, by list, by id, by claims they lost or made up."""

from __future__ import annotations

import itertools

import pytest
from google.cloud.firestore import Client

from rollcall.core.context import User
from rollcall.core.errors import NotFound
from rollcall.core.wire import Role
from rollcall.knowledge.documents import Scope
from tests.support.knowledge import ANN, BEN, Library
from tests.support.reading_rights import EVERYONE, READABLE, add_documents

SCOPES: tuple[Scope, ...] = ("mine", "team", "all")


@pytest.fixture(scope="module")
def library(module_db: Client) -> Library:
    """One for all tests, which only read."""
    return Library(module_db)


@pytest.fixture(scope="module")
def ids(library: Library) -> dict[str, str]:
    return add_documents(library)


def test_a_search_finds_what_the_user_may_read_and_nothing_else(
    library: Library, ids: dict[str, str]
) -> None:
    for user, scope in itertools.product(EVERYONE, SCOPES):
        found = library.titles(user, "zanzibar clause grounding", scope=scope)
        assert found <= READABLE[user.uid]
        if scope == "all":
            assert found == READABLE[user.uid]


def test_an_id_gives_no_right(library: Library, ids: dict[str, str]) -> None:
    for user, (name, id) in itertools.product(EVERYONE, ids.items()):
        if name in READABLE[user.uid]:
            assert library.search(user, "zanzibar", document_id=id).passages
        else:
            with pytest.raises(NotFound) as refused:
                library.search(user, "zanzibar", document_id=id)
            assert name not in refused.value.message


def test_an_id_of_nothing_is_not_found(library: Library, ids: dict[str, str]) -> None:
    for id in ("", "nothing", "a/b", "../documents", "x" * 40):
        with pytest.raises(NotFound):
            library.search(ANN, "zanzibar", document_id=id)


def test_who_leaves_a_team_finds_its_documents_no_more(
    library: Library, ids: dict[str, str]
) -> None:
    assert "north-team" in library.titles(BEN, "zanzibar")
    moved = User("ben", tenant="south")
    assert library.titles(moved, "zanzibar") == {"bens-own", "south-team"}
    left = User("ann", role=Role.TEACHER)
    assert library.titles(left, "zanzibar") == {"anns-own", "north-team"}  # her own upload
