"""Commits whose answer is lost: the caller cannot know whether they were applied."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import pytest
from google.api_core.exceptions import ServiceUnavailable
from google.cloud.firestore_v1.services.firestore.client import FirestoreClient

How = Literal["before", "after", "twice"]
"""Not applied; applied; applied, and sent again by the client library."""


@contextmanager
def lose_commit(patch: pytest.MonkeyPatch, number: int, how: How) -> Iterator[list[int]]:
    """Lose the answer to the `number`-th commit of the block, from 0; the list counts them."""
    original = FirestoreClient.commit
    seen: list[int] = []

    def commit(self: FirestoreClient, *args: Any, **options: Any) -> Any:
        seen.append(len(seen))
        if seen[-1] != number:
            return original(self, *args, **options)
        if how != "before":
            original(self, *args, **options)
        if how == "twice":
            return original(self, *args, **options)
        raise ServiceUnavailable("the connection was lost")

    with patch.context() as patched:
        patched.setattr(FirestoreClient, "commit", commit)
        yield seen
