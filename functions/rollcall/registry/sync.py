"""Publishes the declarations in code to Firestore: only changes, and never over an override.

It runs as a command (`python -m rollcall sync`), when data is seeded, and by the clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from rollcall.core.capability import Capability
from rollcall.core.context import Embedder
from rollcall.core.options import DEFAULT_CODEBASE, codebase, collection_id
from rollcall.core.profile import AgentProfile
from rollcall.registry.compiler import Compilation, compile_registry
from rollcall.registry.documents import AGENTS, CAPABILITIES, agent_document, capability_document

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch


class Report(Struct):
    """The results of a sync, as ids of the form `<collection>/<id>`."""

    written: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    taken: dict[str, str] = field(default_factory=dict)
    """Declared here but not written, since the id has another owner: "codebase 'shop'" or "a
    document"."""
    compiled: Compilation | None = None


def sync(
    db: Client,
    capabilities: Iterable[Capability],
    profiles: Iterable[AgentProfile],
    *,
    embedder: Embedder | None = None,
    dry_run: bool = False,
) -> Report:
    """Bring `capabilities/` and `agents/` in line with the code.

    An operator's `overrides` and a `status` that an operator set stay. A document whose code is
    gone is withdrawn: its status becomes "disabled", and any codebase may declare its id. Documents
    of other codebases, and those that were registered by hand (`source` other than "code"), are not
    touched.

    Args:
        embedder: Embeds the tools for search by meaning; see `compile_registry`.
        dry_run: Only report what would be written.
    """
    report = Report()
    declared = {item.id: capability_document(item) for item in capabilities}
    published = {item.id: agent_document(item) for item in profiles}
    for name, documents in ((CAPABILITIES, declared), (AGENTS, published)):
        batch = _sync_collection(db, name, documents, report)
        if not dry_run:
            batch.commit()
    if not dry_run:
        report.compiled = compile_registry(db, embedder=embedder)
    return report


def _sync_collection(
    db: Client, name: str, declared: dict[str, dict[str, Any]], report: Report
) -> WriteBatch:
    """Return a batch with the needed writes, and add them to the report."""
    from google.cloud.firestore import SERVER_TIMESTAMP

    collection = db.collection(collection_id(name))
    stored = {snapshot.id: snapshot.to_dict() or {} for snapshot in collection.stream()}
    batch = db.batch()
    for id, fields in declared.items():
        if id in stored and not (_is_ours(stored[id]) or stored[id].get("withdrawn")):
            owner = f"codebase {stored[id].get('codebase', DEFAULT_CODEBASE)!r}"
            is_code = stored[id].get("source", "code") == "code"
            report.taken[f"{name}/{id}"] = owner if is_code else "a document"
            continue
        before = stored.get(id, {})
        changes = {
            key: value
            for key, value in fields.items()
            if id not in stored or before.get(key) != value
        }
        # The status follows the code unless an operator has set another.
        follows = before.get("status") == before.get("declaredStatus")
        if follows and before.get("status") != fields["declaredStatus"]:
            changes["status"] = fields["declaredStatus"]
        if before.get("withdrawn"):
            changes["withdrawn"] = False
        if changes:
            changes["lastUpdated"] = SERVER_TIMESTAMP
            batch.set(collection.document(id), changes, merge=list(changes))
        (report.written if changes else report.unchanged).append(f"{name}/{id}")
    for id, document in stored.items():
        gone = id not in declared and "source" in document and _is_ours(document)
        if gone and document.get("status") != "disabled":
            changes = {"status": "disabled", "declaredStatus": "disabled", "withdrawn": True}
            changes["lastUpdated"] = SERVER_TIMESTAMP
            batch.set(collection.document(id), changes, merge=True)
            report.withdrawn.append(f"{name}/{id}")
    return batch


def _is_ours(document: dict[str, Any]) -> bool:
    """Tell whether this codebase declared a document, or no code did and only an operator wrote
    it."""
    if "source" not in document:
        return True
    declared_by = (document.get("source", "code"), document.get("codebase", DEFAULT_CODEBASE))
    return declared_by == ("code", codebase())
