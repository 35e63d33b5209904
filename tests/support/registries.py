"""Registries without a database, and a database's registry as it is after a change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.cloud.firestore import Client

from rollcall.core.capability import Capability
from rollcall.registry import snapshot
from rollcall.registry.compiling import compile_registry, segmented
from rollcall.registry.content import Content
from rollcall.registry.documents import capability_document
from rollcall.registry.entries import Entry
from rollcall.registry.reading import read_capability
from rollcall.registry.snapshot import Snapshot


def registry_of(
    *entries: Entry, agents: dict[str, Any] | None = None, health: dict[str, str] | None = None
) -> Snapshot:
    """What a process holds of these entries."""
    segments, parts = segmented(sorted(entries, key=lambda entry: entry.id), agents or {})
    manifest = {"digest": "test", "segments": [segment.dump() for segment in segments]}
    return Snapshot(Content.of(manifest, parts), health or {})


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
