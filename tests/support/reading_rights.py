"""Documents of several people and teams, and which of them each person may read."""

from __future__ import annotations

import pytest

from rollcall.core.context import User
from rollcall.core.wire import Role
from tests.support.knowledge import ANN, BEN, EVE, Library

TEXT = "The zanzibar clause of {who} is about grounding.\n"
ADMIN = User("adam", role=Role.ADMIN)
NORTH_ADMIN = User("nora", role=Role.ADMIN, tenant="north")
SOUTH_TEACHER = User("sue", role=Role.TEACHER, tenant="south")
NO_TENANT = User("ned")
EVERYONE = [ANN, BEN, EVE, ADMIN, NORTH_ADMIN, SOUTH_TEACHER, NO_TENANT]

READABLE: dict[str, set[str]] = {
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
    return add_documents(library)


def add_documents(library: Library) -> dict[str, str]:
    """Upload three people's own documents and those of two teams; their ids by name."""
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
