"""Registries without a database, and those of new projects and of projects that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from google.cloud.firestore import Client

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
from tests.support.copies import write_copy
from tests.support.user_data import write_all

_COMPILED, _DOCUMENTS = ("registry",), ("capabilities", "agents")


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


def registry_documents(capabilities: Iterable[Capability]) -> list[Entry]:
    """Capabilities as the registry has them after a sync."""
    documents = map(capability_document, capabilities)
    return [read_capability({**document, "status": "active"}) for document in documents]


def reload_registry(db: Client) -> None:
    """Compile the documents again, and have processes read the result."""
    compile_registry(db)
    snapshot.forget()


def publish(
    db: Client,
    capabilities: Iterable[Capability],
    profiles: Iterable[AgentProfile],
    *,
    by_hand: Iterable[dict[str, Any]] = (),
) -> Callable[[], None]:
    """Give a new project the compiled registry that `sync` makes of these.

    Args:
        by_hand: Documents of capabilities that an operator registered.
    Returns:
        What writes the documents of capabilities and agents, which operators change, a sync
        compiles and a capability's own function reads, but no run: most tests do without.
    """
    listed, agents, own = list(capabilities), list(profiles), list(by_hand)
    functions = tuple((each.id, each.function) for each in listed)
    key = (collection_id(""), functions, repr(agents), repr(own))

    def write() -> None:
        place = collection_id("capabilities")
        write_all(db, {f"{place}/{document['id']}": document for document in own})
        sync(db, listed, agents)

    parts = [[collection_id(name) for name in names] for names in (_COMPILED, _DOCUMENTS)]
    compiled, documents = write_copy(db, key, write, parts)
    compiled()
    snapshot.forget()
    return documents
