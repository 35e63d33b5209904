"""Registries without a database, and those of new projects and of projects that changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.cloud.firestore import Client
from google.cloud.firestore_v1.types import CommitRequest

from rollcall.core.capability import Capability
from rollcall.core.options import collection_id
from rollcall.core.profile import AgentProfile
from rollcall.registry import snapshot
from rollcall.registry.capabilities import read_capability
from rollcall.registry.compiler import compile_registry, to_segments
from rollcall.registry.documents import capability_document
from rollcall.registry.entries import Entry
from rollcall.registry.snapshot import Content, Snapshot
from rollcall.registry.sync import sync
from tests.support.keeping import everything, write_all

_COLLECTIONS = ("capabilities", "agents", "registry")
_published: dict[Any, tuple[str, bytes]] = {}
"""Commits by what was published, each with the project that it names: another one whose name is as
long may stand in its place."""


def registry_of(
    *entries: Entry, agents: dict[str, Any] | None = None, health: dict[str, str] | None = None
) -> Snapshot:
    """What a process holds of these entries."""
    segments, parts = to_segments(sorted(entries, key=lambda entry: entry.id), agents or {})
    return Snapshot(Content({"digest": "test", "segments": segments}, parts), health or {})


def tool(id: str, description: str = "", **fields: Any) -> Entry:
    """A capability that is known by its document alone."""
    document = {
        "id": id,
        "name": id.replace("_", " "),
        "description": description or f"{id}.",
        "category": "test",
        "status": "active",
        "effect": "read",
        "jsonSchema": {"type": "object"},
        "source": "document",
        "execution": {"type": "firebase_function", "target": id},
    }
    return read_capability({**document, **fields})


def declared(capabilities: Iterable[Capability]) -> list[Entry]:
    """Capabilities as the registry has them after a sync."""
    documents = map(capability_document, capabilities)
    return [read_capability({**document, "status": "active"}) for document in documents]


def renew(db: Client) -> None:
    """Let processes read what is in the documents by now."""
    compile_registry(db)
    snapshot.forget()


def publish(
    db: Client,
    capabilities: Iterable[Capability],
    profiles: Iterable[AgentProfile],
    *,
    by_hand: Iterable[dict[str, Any]] = (),
) -> None:
    """Give a new project the registry that `sync` makes of these.

    `sync` does it the first time in this process. Projects after that get the very documents that
    it wrote, in one commit that is encoded already: hundreds of tests begin with one registry.

    Args:
        by_hand: Documents of capabilities that an operator registered.
    """
    declared, agents, own = list(capabilities), list(profiles), list(by_hand)
    names = [collection_id(name) for name in _COLLECTIONS]
    functions = tuple((each.id, each.function) for each in declared)
    key = (tuple(names), functions, repr(agents), repr(own), len(db.project))
    if key in _published:
        project, commit = _published[key]
        request = CommitRequest.deserialize(commit.replace(project.encode(), db.project.encode()))
        db._firestore_api.commit(request=request)
    else:
        write_all(db, {f"{names[0]}/{document['id']}": document for document in own})
        sync(db, declared, agents)
        batch = db.batch()
        for path, data in everything(db).items():
            if path.split("/")[0] in names:
                batch.set(db.document(path), data)
        request = CommitRequest(database=db._database_string, writes=batch._write_pbs)
        _published[key] = (db.project, CommitRequest.serialize(request))
    snapshot.forget()
