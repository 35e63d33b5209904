"""Registry documents as code publishes them: `capabilities/{id}` and `agents/{id}`."""

from __future__ import annotations

from typing import Any

from rollcall.core import schema
from rollcall.core.capability import Capability
from rollcall.core.options import codebase
from rollcall.core.profile import AgentProfile
from rollcall.core.shapes import SCHEMA_VERSION

CAPABILITIES = "capabilities"
AGENTS = "agents"


def capability_document(capability: Capability) -> dict[str, Any]:
    """The fields that code declares. `overrides` is the operator's and is not among them."""
    mark = capability.mark
    return {
        "schemaVersion": SCHEMA_VERSION,
        "id": capability.id,
        "name": capability.name["en"],
        "names": capability.name,
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
        "examples": list(capability.examples),
        "keywords": list(capability.keywords),
        "relatedCapabilities": list(mark.related),
        "minRole": mark.min_role.value,
        "declaredStatus": mark.status.value,
        "version": mark.version,
        "digest": capability.digest,
        "effect": mark.effect,
        "approval": mark.approval.dump() if mark.approval else None,
        "runsOn": mark.runs_on,
        "source": "code",
        "codebase": codebase(),
    }


def agent_document(profile: AgentProfile) -> dict[str, Any]:
    """An agent's profile as published to operators."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "id": profile.id,
        "name": profile.names["en"],
        "names": profile.names,
        "instructions": profile.instructions,
        "tools": list(profile.tools),
        "models": list(profile.models),
        "minRole": profile.min_role.value,
        "declaredStatus": profile.status.value,
        "approvals": {id: policy.dump() for id, policy in profile.approvals.items()},
        "allowUnpriced": profile.allow_unpriced,
        "maxSteps": profile.max_steps,
        "maxCalls": profile.max_calls,
        "maxCallsPerTool": profile.max_calls_per_tool,
        "maxTokens": profile.max_tokens,
        "maxOutputTokens": profile.max_output_tokens,
        "maxCostUsd": profile.max_cost_usd,
        "maxTools": profile.max_tools,
        "pinned": list(profile.pinned),
        "variants": [{"id": each.id, "tools": each.tools} for each in profile.variants],
        "deadlineS": profile.deadline_s,
        "source": "code",
        "codebase": codebase(),
    }
