"""Registry documents as code publishes them: `capabilities/{id}` and `agents/{id}`.

`in_words` says what is wrong with a stored one: which field, what stands there, what is accepted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

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


_SHOWN_CHARS = 60
_NO_LIST, _NO_OBJECT = "{given} is no list", "{given} is no object"
_WORDS = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such field",
    "string_type": "{given} is no text",
    "tuple_type": _NO_LIST,
    "list_type": _NO_LIST,
    "dict_type": _NO_OBJECT,
    "model_type": _NO_OBJECT,
    "bool_type": "{given} is neither true nor false",
    "int_type": "{given} is no whole number",
    "int_parsing": "{given} is no whole number",
    "enum": "{given} is not {expected}",
    "literal_error": "{given} is not {expected}",
    "string_pattern_mismatch": "{given} does not fit {pattern}",
    "greater_than_equal": "{given} is less than {ge}",
    "greater_than": "{given} is not above {gt}",
    "less_than_equal": "{given} is more than {le}",
    "float_type": "{given} is no number",
    "finite_number": "{given} is no finite number",
    "string_too_long": "it has more than {max_length:,} characters",
    "too_long": "it has more than {max_length:,} items",
}
"""By pydantic's kind of error; what is not here is told in pydantic's own words."""


def in_words(error: ValidationError) -> str:
    """Return the first mistake, with its field."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(each) for each in first["loc"])
    words: Callable[..., str] | None = getattr(_WORDS.get(first["type"]), "format", None)
    context: Mapping[str, Any] = first.get("ctx", {})
    if words:
        message = words(**{**context, "given": _excerpt(first["input"])})
    else:
        message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


def _excerpt(value: Any) -> str:
    """What stands there, as JSON has it, cut."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
