"""Which of the tools that an AG-UI client offers count: those registered for clients, as they are
registered. The model is told of a tool what the registry says, never what a client says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rollcall.endpoints._agui.shapes import Tool
from rollcall.registry.snapshot import Snapshot

UNKNOWN = "it is not registered as a tool of clients"
OTHERWISE = "it is registered with other parameters"
_SAID_ONLY = {
    "$comment",
    "$id",
    "$schema",
    "additionalProperties",
    "default",
    "deprecated",
    "description",
    "examples",
    "title",
}
"""Keywords that describe a schema; what may be left out or added besides is ours to say."""
_NAMED = {"properties", "$defs", "definitions", "patternProperties"}


def offered(registry: Snapshot, tools: Sequence[Tool]) -> tuple[list[str], list[dict[str, str]]]:
    """The ids of those that count, and why each of the others does not: `{name, reason}`."""
    ids: list[str] = []
    left_out = []
    entries = registry.content.entries
    for tool in {tool.name: tool for tool in tools}.values():
        entry = entries.get(tool.name)
        if entry is None or entry.execution.type != "client":
            left_out.append({"name": tool.name, "reason": UNKNOWN})
        elif not is_same_schema(tool.parameters, entry.spec.parameters):
            left_out.append({"name": tool.name, "reason": OTHERWISE})
        else:
            ids.append(tool.name)
    return ids, left_out


def is_same_schema(given: Any, registered: Any) -> bool:
    """Whether a client means the registered schema: it says the same of the same parameters,
    whatever words it describes them with. One that says nothing means it."""
    return given in (None, {}) or _bare(given) == _bare(registered)


def _bare(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_bare(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _value(key, schema[key]) for key in schema.keys() - _SAID_ONLY}


def _value(key: str, value: Any) -> Any:
    if key in _NAMED and isinstance(value, dict):
        return {name: _bare(each) for name, each in value.items()}
    if key in ("required", "enum") and isinstance(value, list):
        return sorted(value, key=repr)
    return _bare(value)
