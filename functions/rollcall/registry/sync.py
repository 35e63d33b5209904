"""Publishes what code declares to Firestore: only what changed, and never an operator's word.

Run as a command (`python -m rollcall sync`), when data is seeded, and by the clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rollcall.core.capability import Capability
from rollcall.core.profile import AgentProfile
from rollcall.registry.documents import (
    AGENTS,
    CAPABILITIES,
    agent_document,
    capability_document,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client


@dataclass(slots=True)
class Report:
    """Ids by what a sync did with them, as `<collection>/<id>`."""

    written: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)


def sync(
    db: Client, capabilities: Iterable[Capability], profiles: Iterable[AgentProfile]
) -> Report:
    """Bring `capabilities/` and `agents/` up to what code declares.

    An operator's `overrides` and a `status` that an operator set stay. A document whose code is
    gone is withdrawn: its status becomes "disabled". Documents that other codebases registered
    (`source` other than "code") are not touched.
    """
    report = Report()
    declared = {item.id: capability_document(item) for item in capabilities}
    _sync_collection(db, CAPABILITIES, declared, report)
    _sync_collection(db, AGENTS, {item.id: agent_document(item) for item in profiles}, report)
    return report


def _sync_collection(
    db: Client, name: str, declared: dict[str, dict[str, Any]], report: Report
) -> None:
    from google.cloud.firestore import SERVER_TIMESTAMP

    stored = {snapshot.id: snapshot.to_dict() or {} for snapshot in db.collection(name).stream()}
    batch = db.batch()
    for id, fields in declared.items():
        changes = _changes(fields, stored.get(id))
        if changes:
            changes["lastUpdated"] = SERVER_TIMESTAMP
            batch.set(db.collection(name).document(id), changes, merge=list(changes))
        (report.written if changes else report.unchanged).append(f"{name}/{id}")
    for id, document in stored.items():
        gone = id not in declared and document.get("source") == "code"
        if gone and document.get("status") != "disabled":
            changes = {"status": "disabled", "declaredStatus": "disabled"}
            changes["lastUpdated"] = SERVER_TIMESTAMP
            batch.set(db.collection(name).document(id), changes, merge=True)
            report.withdrawn.append(f"{name}/{id}")
    batch.commit()


def _changes(fields: dict[str, Any], stored: dict[str, Any] | None) -> dict[str, Any]:
    """Fields to write. The status follows the code's only while no operator has set another."""
    if stored is None:
        return {**fields, "status": fields["declaredStatus"]}
    changes = {key: value for key, value in fields.items() if stored.get(key) != value}
    follows = stored.get("status") == stored.get("declaredStatus")
    if follows and stored.get("status") != fields["declaredStatus"]:
        changes["status"] = fields["declaredStatus"]
    return changes
