"""Registry documents: how a capability or an agent rests in Firestore, and how it is read back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rollcall.core import schema
from rollcall.core.capability import Capability
from rollcall.core.profile import AgentProfile
from rollcall.core.wire import SCHEMA_VERSION, Role, Status
from rollcall.models.base import ToolSpec

CAPABILITIES = "capabilities"
AGENTS = "agents"
_ROLE_ORDER = tuple(Role)


def capability_document(capability: Capability) -> dict[str, Any]:
    """The fields that code declares. `overrides` is the operator's and is not among them."""
    mark = capability.mark
    return {
        "schemaVersion": SCHEMA_VERSION,
        "id": capability.id,
        "name": mark.name.get("en", capability.id),
        "names": mark.name,
        "description": capability.description,
        "category": mark.category,
        "execution": {
            "type": "client" if mark.runs_on == "client" else "internal_service",
            "target": capability.id,
            "method": "POST",
            "requiresAuth": True,
        },
        "parameters": schema.parameters(capability.json_schema),
        "jsonSchema": capability.json_schema,
        "examples": list(mark.examples),
        "keywords": list(mark.keywords),
        "relatedCapabilities": list(mark.related),
        "minRole": mark.min_role.value,
        "declaredStatus": mark.status.value,
        "version": mark.version,
        "digest": capability.digest,
        "effect": mark.effect,
        "runsOn": mark.runs_on,
        "source": "code",
    }


def agent_document(profile: AgentProfile) -> dict[str, Any]:
    """An agent's profile as published to operators."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "id": profile.id,
        "name": profile.name.get("en", profile.id),
        "names": profile.name,
        "instructions": profile.instructions,
        "tools": list(profile.tools),
        "models": list(profile.models),
        "minRole": profile.min_role.value,
        "declaredStatus": profile.status.value,
        "maxSteps": profile.max_steps,
        "maxTools": profile.max_tools,
        "deadlineS": profile.deadline_s,
        "source": "code",
    }


@dataclass(frozen=True, slots=True)
class Entry:
    """A capability as it is offered: what code declared, under the operator's overrides."""

    id: str
    names: dict[str, str]
    category: str
    min_role: Role
    status: Status
    runs_on: str
    digest: str
    spec: ToolSpec

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Entry:
        """Read a stored document.

        Raises:
            KeyError: It lacks a field that every entry has.
            ValueError: Its role or status is not one of ours.
        """
        overrides = document.get("overrides") or {}
        return cls(
            id=document["id"],
            names=document.get("names") or {"en": document["name"]},
            category=document["category"],
            min_role=Role(document["minRole"]),
            status=Status(overrides.get("status") or document["status"]),
            runs_on=document.get("runsOn", "server"),
            digest=document.get("digest", ""),
            spec=ToolSpec(
                name=document["id"],
                description=document["description"],
                parameters=document["jsonSchema"],
                keywords=tuple(overrides.get("keywords") or document.get("keywords") or ()),
                examples=tuple(overrides.get("examples") or document.get("examples") or ()),
                related=tuple(document.get("relatedCapabilities") or ()),
                writes=document.get("effect") == "write",
            ),
        )

    def permits(self, role: Role) -> bool:
        """Whether a user of this role may use it now."""
        return self.status is not Status.DISABLED and at_least(role, self.min_role)


def at_least(role: Role, least: Role) -> bool:
    """Whether `role` stands at or above `least` in `wire.Role`'s order."""
    return _ROLE_ORDER.index(role) >= _ROLE_ORDER.index(least)
