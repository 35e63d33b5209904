"""The sample's projects, and the contexts of people who work on them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.electrical.projects.documents import write_project
from rollcall.core.context import ToolContext, User
from rollcall.store.made_files import keeper
from seed.electrical.sample import projects
from tests.support.copies import write_copy

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


class Bare:
    """A platform with a database and nothing else."""

    text_model = None
    embedder = None

    def __init__(self, db: Client) -> None:
        self.db = db

    def enqueue(self, queue: str, data: dict[str, Any]) -> None:
        raise AssertionError("nothing is enqueued here")

    def find_user(self, uid: str) -> User | None:
        return None if uid.startswith("nobody") else User(uid=uid)

    def notify(self, decider: Any, *, approval_id: str) -> None:
        raise AssertionError("nobody is notified here")


@pytest.fixture
def sample_projects(db: Client) -> Client:
    """A Firestore with the sample's projects, which tests that only read may share."""

    def write() -> None:
        for sample in projects():
            write_project(db, sample.project, sample.members)

    if not db.document("projects/house").get().exists:
        (commit,) = write_copy(db, "sample projects", write, [["projects"]])
        commit()
    return db


@pytest.fixture
def at_work(db: Client) -> Callable[..., ToolContext]:
    """Makes the context of a person's call: `at_work("dan", project="house", locale="he")`."""

    def context(
        uid: str = "demo", *, project: str | None = None, locale: str = "en", writes: bool = False
    ) -> ToolContext:
        return ToolContext(
            user=User(uid=uid),
            platform=Bare(db),
            locale=locale,
            now=NOW,
            context={"projectId": project} if project else {},
            effects=db.batch() if writes else None,
            effect_key="key" if writes else None,
            file_keeper=keeper(lambda: db, uid, now=NOW),
        )

    return context
