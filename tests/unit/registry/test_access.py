"""Who may use a capability, by the fields of its document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from rollcall.core.context import User
from rollcall.core.errors import FailedPrecondition
from rollcall.core.wire import Role
from rollcall.registry import access
from rollcall.registry.access import Access, read_access

ANN = User("ann")
TEACHER = User("tom", role=Role.TEACHER, tenant="school")


@pytest.fixture(autouse=True)
def unread() -> Iterator[None]:
    access.forget()
    yield
    access.forget()


def of(overrides: Any = None, **fields: Any) -> Access:
    return Access.of({"status": "active", "overrides": overrides, **fields})


def test_what_code_declares_holds_without_overrides() -> None:
    assert of().permits(ANN)
    assert not of(minRole="teacher").permits(ANN)
    assert of(minRole="teacher").permits(TEACHER)
    assert not of(status="disabled").permits(TEACHER)


def test_an_operators_word_counts_instead() -> None:
    assert not of({"status": "disabled"}).permits(ANN)
    assert of({"status": "beta"}, status="disabled").permits(ANN)
    assert not of({"minRole": "admin"}).permits(TEACHER)
    assert not of({"minRole": "user"}, minRole="admin").permits(ANN)


def test_tenants_are_all_or_those_that_are_named() -> None:
    assert of({"tenants": ["school"]}).permits(TEACHER)
    assert not of({"tenants": ["other"]}).permits(TEACHER)
    assert not of({"tenants": ["school"]}).permits(ANN)
    assert not of({"tenants": []}).permits(TEACHER)


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"status": "asleep"},
        {"status": 1},
        {"status": "active", "minRole": "king"},
        {"status": "active", "overrides": {"status": ["disabled"]}},
        {"status": "active", "overrides": "disabled"},
        {"status": "active", "overrides": {"tenants": 7}},
        {"status": "active", "overrides": {"tenants": "school"}},
    ],
)
def test_what_cannot_be_read_opens_nothing(document: dict[str, Any]) -> None:
    with pytest.raises(FailedPrecondition, match="cannot be used"):
        Access.of(document)


def test_it_is_read_once_while_it_is_fresh_and_for_each_project_by_itself() -> None:
    asked: list[str] = []

    def read(path: str, fields: Sequence[str]) -> dict[str, Any] | None:
        asked.append(path)
        return {"status": "active"}

    first = read_access("find_room", project="one", read=read)
    assert read_access("find_room", project="one", read=read) is first
    assert read_access("find_room", project="two", read=read) == first
    access.forget()
    read_access("find_room", project="one", read=read)
    assert asked == ["capabilities/find_room"] * 3


def test_what_is_not_registered_is_looked_for_again() -> None:
    found = iter([None, {"status": "active"}])
    assert read_access("find_room", project="p", read=lambda *_: next(found)) is None
    assert read_access("find_room", project="p", read=lambda *_: next(found)) is not None


@pytest.mark.parametrize(
    "overrides",
    [
        {"tenants": [None]},
        {"tenants": ["acme", 5]},
        {"tenants": "acme"},
        {"minRole": ""},
        {"minRole": 0},
        {"status": ""},
        {"status": False},
        "",
        [],
    ],
)
def test_an_override_that_says_nothing_known_closes(overrides: Any) -> None:
    with pytest.raises(FailedPrecondition):
        Access.of({"status": "active", "minRole": "user", "overrides": overrides})
