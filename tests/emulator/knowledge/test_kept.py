"""Parts in memory: no more than fit, those asked for last."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from rollcall.knowledge.kept import Kept
from tests.support.counting import counted


def path(name: str) -> str:
    return f"documents/d/parts/{name}"


@pytest.fixture(autouse=True)
def parts(db: Client) -> None:
    for name in "abc":
        db.document(path(name)).set({"data": name.encode() * 40})


def reads(kept: Kept, db: Client, names: str) -> int:
    """How many documents are read for these parts, which all come."""
    with counted() as found:
        given = kept.read(db, [path(name) for name in names])
    assert given == [name.encode() * 40 for name in names]
    return found.reads


def test_a_part_is_read_once(db: Client) -> None:
    kept = Kept(100)
    assert [reads(kept, db, "a") for _ in range(2)] == [1, 0]


def test_a_part_that_is_not_there_is_none_and_asked_for_again(db: Client) -> None:
    kept = Kept(100)
    assert [kept.read(db, [path("z"), path("a")]) for _ in range(2)] == [[None, b"a" * 40]] * 2


def test_what_was_not_asked_for_longest_makes_room(db: Client) -> None:
    kept = Kept(100)
    for name in "abac":
        reads(kept, db, name)
    assert [reads(kept, db, name) for name in "acb"] == [0, 0, 1]


def test_a_part_that_is_too_large_to_keep_is_still_given_out(db: Client) -> None:
    kept = Kept(30)
    assert [reads(kept, db, "a") for _ in range(2)] == [1, 1]


def test_projects_do_not_share_parts(db: Client, module_db: Client) -> None:
    module_db.document(path("a")).set({"data": b"other"})
    kept = Kept(100)
    assert reads(kept, db, "a") == 1
    assert kept.read(module_db, [path("a")]) == [b"other"]
