"""Nobody lists or deletes another's documents."""

from __future__ import annotations

import pytest

from packs.knowledge.documents import delete_document, list_documents
from rollcall.core.context import ToolContext, User
from rollcall.core.errors import NotFound, PermissionDenied
from rollcall.core.wire import Role
from tests.support.knowledge import ANN, BEN, EVE, Library
from tests.support.reading_rights import (
    ADMIN,
    EVERYONE,
    NO_TENANT,
    NORTH_ADMIN,
    READABLE,
    SOUTH_TEACHER,
)


def test_a_list_names_what_the_user_may_read_and_nothing_else(
    library: Library, ids: dict[str, str]
) -> None:
    for user in EVERYONE:
        listed = list_documents(library.ctx(user))
        assert {each.title for each in listed.documents} == READABLE[user.uid]
        assert listed.all_listed


def test_what_the_client_says_gives_no_right(library: Library, ids: dict[str, str]) -> None:
    ctx = ToolContext(
        user=NO_TENANT,
        platform=library.platform,
        context={"tenant": "north", "uid": "ann", "role": "admin"},
    )
    assert list_documents(ctx).documents == []


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
