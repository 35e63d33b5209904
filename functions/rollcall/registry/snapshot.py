"""The registry as a process holds it: read at most once a minute, then from memory."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Container
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field, TypeAdapter

from rollcall.core.policy import ApprovalPolicy
from rollcall.core.profile import AgentProfile
from rollcall.core.wire import Role, Status
from rollcall.registry.documents import AGENTS, CAPABILITIES, Entry

if TYPE_CHECKING:
    from google.cloud.firestore import Client

FRESH_S = 60.0
"""An operator's change takes effect within this time."""

log = logging.getLogger("rollcall")


_OVERRIDES: dict[str, tuple[str, TypeAdapter[Any]]] = {
    "instructions": ("instructions", TypeAdapter(Annotated[str, Field(max_length=32_000)])),
    "models": ("models", TypeAdapter(Annotated[list[str], AfterValidator(tuple)])),
    "approvals": ("approvals", TypeAdapter(dict[str, ApprovalPolicy])),
    "allowUnpriced": ("allow_unpriced", TypeAdapter(bool)),
    "maxSteps": ("max_steps", TypeAdapter(Annotated[int, Field(ge=1)])),
    "maxCalls": ("max_calls", TypeAdapter(Annotated[int, Field(ge=1)])),
    "maxCallsPerTool": ("max_calls_per_tool", TypeAdapter(Annotated[int, Field(ge=1)])),
    "maxTokens": ("max_tokens", TypeAdapter(Annotated[int, Field(ge=1)])),
    "maxCostUsd": ("max_cost_usd", TypeAdapter(Annotated[float, Field(gt=0)])),
}


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
        """The profile with what an operator changed in `agents/{id}`: its status and the fields of
        `_OVERRIDES`. A value of the wrong kind is logged and left out; policies of approvals that
        cannot be read close the agent, since they were meant to ask somebody."""
        document = self.agents.get(profile.id, {})
        overrides = document.get("overrides")
        overrides = overrides if isinstance(overrides, dict) else {}
        status = overrides.get("status") or document.get("status") or profile.status
        # A status that cannot be read was meant to change something: nobody uses the agent then.
        known = isinstance(status, str) and status in set(Status)
        changes: dict[str, Any] = {"status": Status(status) if known else Status.DISABLED}
        for key, (field_name, adapter) in _OVERRIDES.items():
            if key in overrides:
                try:
                    text = json.dumps(overrides[key])
                    changes[field_name] = adapter.validate_json(text, strict=True)
                except (ValueError, TypeError) as error:
                    if key == "approvals":
                        changes["status"] = Status.DISABLED
                    log.warning("agent %s: override %s is left out: %s", profile.id, key, error)
        return replace(profile, **changes)


_snapshots: dict[str, Snapshot] = {}
_lock = threading.Lock()


def snapshot(db: Client) -> Snapshot:
    """The registry, from memory while that is fresh; a copy that cannot be renewed still serves."""
    from google.api_core.exceptions import GoogleAPICallError

    key = f"{db.project}/{db._database}"
    with _lock:
        found = _snapshots.get(key)
        if found is None or time.monotonic() - found.read_at > FRESH_S:
            try:
                found = _snapshots[key] = Snapshot(_read(db), _read_agents(db))
            except GoogleAPICallError as error:
                if found is None:
                    raise
                log.warning("the registry could not be read anew: %s", error)
    return found


def forget() -> None:
    """Read anew next time."""
    _snapshots.clear()


def _read(db: Client) -> dict[str, Entry]:
    entries = {}
    for document in db.collection(CAPABILITIES).stream():
        try:
            entry = Entry.from_document(document.to_dict() or {})
            if entry.id != document.id:
                raise ValueError(f"it calls itself {entry.id!r}")
            entries[entry.id] = entry
        except ValueError as error:
            # One bad document must not take the others down with it.
            log.warning("capability %s is left out of the registry: %r", document.id, error)
    own = {entry.id for entry in entries.values() if entry.spec.writes and not entry.is_foreign}
    for entry in [each for each in entries.values() if _is_alias(each, own)]:
        log.warning(
            "capability %s is left out of the registry: it is %s", entry.id, entry.execution.target
        )
        del entries[entry.id]
    return entries


def _is_alias(entry: Entry, own_writes: Container[str]) -> bool:
    """Whether this is one of our own writes under another name. Called as a function it would be
    the user's own call, which is its own yes; nor need its document say that it writes."""
    if entry.execution.type != "firebase_function":
        return False
    host, _, name = entry.execution.target.partition("?")[0].rstrip("/").rpartition("/")
    projects = (os.environ.get(name) for name in ("GCLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT"))
    ours = tuple(f"-{project}.cloudfunctions.net" for project in projects if project)
    is_here = not host or (bool(ours) and host.lower().removesuffix(":443").endswith(ours))
    return is_here and name in own_writes


def _read_agents(db: Client) -> dict[str, dict[str, Any]]:
    return {document.id: document.to_dict() or {} for document in db.collection(AGENTS).stream()}
