"""Writes the same documents into project after project, encoding them once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from functools import partial

from google.cloud.firestore import Client
from google.cloud.firestore_v1.types import CommitRequest

from tests.support.user_data import all_documents

_commits: dict[Hashable, tuple[str, list[bytes]]] = {}
"""By key: the project that the encoded commits name, and these commits. A project whose name has
the same length can replace it in the bytes."""


def write_copy(
    db: Client,
    key: Hashable,
    write: Callable[[], object],
    parts: Sequence[Collection[str]],
) -> list[Callable[[], None]]:
    """Prepare the documents that `write` writes for a project that has none of them.

    `write` is called the first time in this process, and again where a project's name has another
    length; what it wrote is deleted again, so that the first test finds no more than the others.
    Every project gets the same documents, in commits that are encoded once: hundreds of tests
    start from one state.

    Args:
        parts: For each commit, the collections that it writes, with all below them.
    Returns:
        A function for each part, which commits it.
    """
    key = (key, len(db.project))
    if key not in _commits:
        write()
        found = all_documents(db)
        commits = []
        undo = db.batch()
        for names in parts:
            batch = db.batch()
            for path, data in found.items():
                if path.split("/")[0] in names:
                    batch.set(db.document(path), data)
                    undo.delete(db.document(path))
            request = CommitRequest(database=db._database_string, writes=batch._write_pbs)
            commits.append(CommitRequest.serialize(request))
        undo.commit()
        _commits[key] = (db.project, commits)
    project, commits = _commits[key]

    def commit(encoded: bytes) -> None:
        request = CommitRequest.deserialize(encoded.replace(project.encode(), db.project.encode()))
        db._firestore_api.commit(request=request, metadata=db._rpc_metadata)

    return [partial(commit, each) for each in commits]
