"""Registry documents that code publishes: `capabilities/{id}` and `agents/{id}`."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from msgspec.structs import replace
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from rollcall.core import schema
from rollcall.core.capability import Capability
from rollcall.core.inputs import invalid
from rollcall.core.options import codebase
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.profile import MAX_STEPS_CAP, AgentProfile
from rollcall.core.shapes import SCHEMA_VERSION, Status

log = logging.getLogger("rollcall")

CAPABILITIES = "capabilities"
AGENTS = "agents"


def capability_document(capability: Capability) -> dict[str, Any]:
    """Return a capability's document: the fields that code declares, without the operator's
    `overrides`."""
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
        "aliases": {name: list(aliases) for name, aliases in capability.aliases.items()},
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
    """Return an agent's document: its profile, for operators."""
    same = (
        *("id", "instructions", "allow_unpriced", "deadline_s", "max_steps", "max_calls"),
        *("max_calls_per_tool", "max_tokens", "max_output_tokens", "max_cost_usd", "max_tools"),
    )
    return {
        "schemaVersion": SCHEMA_VERSION,
        **{to_camel(name): getattr(profile, name) for name in same},
        "name": profile.names["en"],
        "names": profile.names,
        "tools": list(profile.tools),
        "models": list(profile.models),
        "pinned": list(profile.pinned),
        "minRole": profile.min_role.value,
        "declaredStatus": profile.status.value,
        "approvals": {id: policy.dump() for id, policy in profile.approvals.items()},
        "variants": [{"id": each.id, "tools": each.tools} for each in profile.variants],
        "source": "code",
        "codebase": codebase(),
    }


@cache
def _adapters() -> dict[str, tuple[str, TypeAdapter[Any]]]:
    """Return the fields of a profile that can be overridden, with their types, by their names in
    documents."""
    names = Annotated[list[Annotated[str, Field(max_length=200)]], AfterValidator(tuple)]
    count = Annotated[int, Field(ge=1)]
    kinds: dict[str, Any] = {
        "instructions": Annotated[str, Field(max_length=32_000)],
        **dict.fromkeys(("models", "tools", "pinned"), names),
        "approvals": dict[str, ApprovalPolicy],
        "allow_unpriced": bool,
        "max_tools": Annotated[int, Field(ge=1, le=100)],
        "max_steps": Annotated[int, Field(ge=1, le=MAX_STEPS_CAP)],
        **dict.fromkeys(("max_calls", "max_calls_per_tool"), count),
        **dict.fromkeys(("max_tokens", "max_output_tokens"), count),
        "max_cost_usd": Annotated[float, Field(gt=0, allow_inf_nan=False)],
    }
    return {to_camel(name): (name, TypeAdapter(kind)) for name, kind in kinds.items()}


def status_of(document: Mapping[str, Any], declared: Status) -> Status:
    """Return an agent's status by its document. An invalid status disables the agent, since it was
    meant to change something.

    Args:
        declared: The status in code, used if the document has none.
    """
    overrides = document.get("overrides")
    if overrides is not None and not isinstance(overrides, dict):
        return Status.DISABLED
    by_precedence = ((overrides or {}).get("status"), document.get("status"), declared)
    status = next(each for each in by_precedence if each is not None)
    return Status(status) if isinstance(status, str) and status in set(Status) else Status.DISABLED


def with_overrides(profile: AgentProfile, document: Mapping[str, Any]) -> AgentProfile:
    """Return the profile with its operator's overrides.

    An invalid value is logged and ignored; invalid approval policies disable the agent, since they
    were meant to require approvals.
    """
    changes, problems = read_overrides(document)
    for problem in problems:
        log.warning("agent %s: %s", profile.id, problem)
    changes = {"status": status_of(document, profile.status), **changes}
    if "instructions" in changes:  # the operator's instructions apply in every variant
        changes["variants"] = tuple(replace(each, instructions=None) for each in profile.variants)
    return replace(profile, **changes)


def read_overrides(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the fields of a profile that an agent's document overrides, and the problems of its
    invalid overrides, with their consequences."""
    overrides = document.get("overrides")
    if overrides is None:
        return {}, []
    if not isinstance(overrides, dict):
        return {}, ["overrides are no object, so it is disabled"]
    changes: dict[str, Any] = {}
    problems = []
    if overrides.get("status") not in (None, *Status):
        known = ", ".join(Status)
        problems.append(f"overrides.status is none of {known}, so it is disabled")
    for key in overrides.keys() - {"status", "note"}:
        if key not in _adapters():
            problems.append(f"overrides.{key} means nothing")
            continue
        field_name, adapter = _adapters()[key]
        try:
            text = json.dumps(overrides[key])
            changes[field_name] = adapter.validate_json(text, strict=True)
        except (ValueError, TypeError) as error:
            if key == "approvals":
                changes["status"] = Status.DISABLED
            why = f"overrides.{key}: {error}"
            if isinstance(error, ValidationError):
                why = str(invalid(error, overrides[key], field=f"overrides.{key}"))
            problems.append(f"{why}; the override is left out")
    return changes, problems
