"""The registry as a process holds it: read at most once a minute, then from memory."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rollcall.core.profile import AgentProfile
from rollcall.core.wire import Role, Status
from rollcall.registry.documents import AGENTS, CAPABILITIES, Entry

if TYPE_CHECKING:
    from google.cloud.firestore import Client

FRESH_S = 60.0
"""An operator's change takes effect within this time."""

log = logging.getLogger("rollcall")


@dataclass(slots=True)
class Snapshot:
    """All capabilities by id, and when they were read (monotonic seconds)."""

    entries: dict[str, Entry]
    agents: dict[str, dict[str, Any]] = field(default_factory=dict)
    read_at: float = field(default_factory=time.monotonic)

    def permitted(self, ids: tuple[str, ...], role: Role) -> list[Entry]:
        """Those of `ids` that exist and that `role` may use now, in the order of `ids`."""
        found = [self.entries[id] for id in ids if id in self.entries]
        return [entry for entry in found if entry.permits(role)]

    def overruled(self, profile: AgentProfile) -> AgentProfile:
        """The profile with what an operator changed in `agents/{id}`: status, instructions,
        models, maxSteps. A value of the wrong kind is logged and left out."""
        document = self.agents.get(profile.id, {})
        overrides = document.get("overrides") or {}
        status = overrides.get("status") or document.get("status") or profile.status
        changes: dict[str, Any] = {}
        try:
            changes["status"] = Status(status)
            if "instructions" in overrides:
                changes["instructions"] = str(overrides["instructions"])
            if "models" in overrides:
                changes["models"] = tuple(str(name) for name in overrides["models"])
            if "maxSteps" in overrides:
                changes["max_steps"] = max(1, int(overrides["maxSteps"]))
        except (TypeError, ValueError) as error:
            log.warning("agent %s: its overrides are left out: %s", profile.id, error)
            return profile
        return replace(profile, **changes)


_snapshots: dict[str, Snapshot] = {}
_lock = threading.Lock()


def snapshot(db: Client) -> Snapshot:
    """The registry, from memory while that is fresh."""
    key = f"{db.project}/{db._database}"
    with _lock:
        found = _snapshots.get(key)
        if found is None or time.monotonic() - found.read_at > FRESH_S:
            agents = {item.id: item.to_dict() or {} for item in db.collection(AGENTS).stream()}
            found = _snapshots[key] = Snapshot(_read(db), agents)
    return found


def forget() -> None:
    """Read anew next time."""
    _snapshots.clear()


def _read(db: Client) -> dict[str, Entry]:
    entries = {}
    for document in db.collection(CAPABILITIES).stream():
        try:
            entries[document.id] = Entry.from_document(document.to_dict() or {})
        except (KeyError, ValueError, TypeError) as error:
            # One bad document must not take the others down with it.
            log.warning("capability %s is left out of the registry: %r", document.id, error)
    return entries
