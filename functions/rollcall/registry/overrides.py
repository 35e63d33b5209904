"""Overrides of agents: an agent's profile with what its operator wrote into `agents/{id}`."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from msgspec.structs import replace
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from rollcall.core.policy import ApprovalPolicy
from rollcall.core.profile import MAX_STEPS_CAP, AgentProfile
from rollcall.core.shapes import Status
from rollcall.registry.documents import in_words

log = logging.getLogger("rollcall")


@cache
def _adapters() -> dict[str, tuple[str, TypeAdapter[Any]]]:
    """What may be overruled: the profile's field, and what its value must be."""
    names = Annotated[list[Annotated[str, Field(max_length=200)]], AfterValidator(tuple)]
    count = Annotated[int, Field(ge=1)]
    kinds: dict[str, tuple[str, Any]] = {
        "instructions": ("instructions", Annotated[str, Field(max_length=32_000)]),
        "models": ("models", names),
        "tools": ("tools", names),
        "pinned": ("pinned", names),
        "approvals": ("approvals", dict[str, ApprovalPolicy]),
        "allowUnpriced": ("allow_unpriced", bool),
        "maxTools": ("max_tools", Annotated[int, Field(ge=1, le=100)]),
        "maxSteps": ("max_steps", Annotated[int, Field(ge=1, le=MAX_STEPS_CAP)]),
        "maxCalls": ("max_calls", count),
        "maxCallsPerTool": ("max_calls_per_tool", count),
        "maxTokens": ("max_tokens", count),
        "maxOutputTokens": ("max_output_tokens", count),
        "maxCostUsd": ("max_cost_usd", Annotated[float, Field(gt=0, allow_inf_nan=False)]),
    }
    return {key: (name, TypeAdapter(kind)) for key, (name, kind) in kinds.items()}


def status_of(document: Mapping[str, Any], declared: Status) -> Status:
    """Return an agent's status by its document. One that cannot be read disables the agent, since
    it was meant to change something.

    Args:
        declared: What code says, where the document says nothing.
    """
    overrides = document.get("overrides")
    if overrides is not None and not isinstance(overrides, dict):
        return Status.DISABLED
    said = ((overrides or {}).get("status"), document.get("status"), declared)
    status = next(each for each in said if each is not None)
    return Status(status) if isinstance(status, str) and status in set(Status) else Status.DISABLED


def unread_overrides(document: Mapping[str, Any]) -> list[str]:
    """Return the overrides of an agent that cannot be read, each with what follows."""
    return _read(document)[1]


def with_overrides(profile: AgentProfile, document: Mapping[str, Any]) -> AgentProfile:
    """Return the profile with its operator's overrides.

    A value of the wrong kind is logged and left out; policies of approvals that cannot be read
    close the agent, since they were meant to ask somebody.
    """
    changes, problems = _read(document)
    for problem in problems:
        log.warning("agent %s: %s", profile.id, problem)
    changes = {"status": status_of(document, profile.status), **changes}
    if "instructions" in changes:  # the operator's word, in every variant
        changes["variants"] = tuple(replace(each, instructions=None) for each in profile.variants)
    return replace(profile, **changes)


def _read(document: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The fields of a profile that a document overrules, and what of it cannot be read."""
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
            why = in_words(error) if isinstance(error, ValidationError) else error
            problems.append(f"override {key} is left out: {why}")
    return changes, problems
