"""Reads pools of tools and queries over them from JSON Lines, with a problem for each bad line.

Pool:    {"name", "description", "parameters": JSON schema}
Queries: {"id", "query", "gold": [names], "category"?, "tools"?: [names]}

`tools` are those that the row's agent has: they bound what may be offered where `gold` is empty.
Whatever else a row has is not read, other definitions of tools for one row among it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rollcall.registry.index import Searchable


class BadLine(Exception):
    """What is wrong with a line, for a person."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked, and the tools that answer it; `tools` is None where the agent has all."""

    text: str
    gold: frozenset[str]
    category: str | None
    tools: frozenset[str] | None


def read_pool(path: Path) -> tuple[list[Searchable], list[str]]:
    """Return the tools of a file, and its problems, each with its line."""
    tools: dict[str, Searchable] = {}
    problems = []
    for number, line in _lines(path):
        try:
            tool = _tool(_object(line))
            if tool.id in tools:
                raise BadLine(f"there is a tool {tool.id!r} already")
            tools[tool.id] = tool
        except BadLine as error:
            problems.append(f"{path.name}, line {number}: {error}")
    return list(tools.values()), problems


def read_queries(path: Path, tools: Sequence[Searchable]) -> tuple[list[Query], list[str]]:
    """Return the queries of a file over some tools, and its problems, each with its line."""
    known = {tool.id for tool in tools}
    queries, problems = [], []
    for number, line in _lines(path):
        try:
            query = _query(_object(line))
            if missing := sorted(query.gold - known):
                raise BadLine(f"the pool has no tool {missing[0]!r}")
            queries.append(query)
        except BadLine as error:
            problems.append(f"{path.name}, line {number}: {error}")
    return queries, problems


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if line.strip():
            yield number, line


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadLine(f"it is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadLine("it is no JSON object")
    return found


def _tool(line: dict[str, Any]) -> Searchable:
    name = _text(line, "name")
    if not name:
        raise BadLine('"name" is empty')
    schema = line.get("parameters") or {}
    if not isinstance(schema, dict) or not isinstance(schema.get("properties") or {}, dict):
        raise BadLine('"parameters" is no JSON schema of an object')
    required = schema.get("required") or ()
    if not isinstance(required, list | tuple):
        raise BadLine('"required" is no list')
    properties = schema.get("properties") or {}
    return Searchable(
        name,
        description=_text(line, "description"),
        parameters=tuple((each, _described(item)) for each, item in properties.items()),
        required=len(required),
    )


def _described(item: Any) -> str:
    if not isinstance(item, dict):
        return ""
    values = item.get("enum")
    allowed = [str(value) for value in values] if isinstance(values, list) else []
    return " ".join([str(item.get("description") or ""), *allowed])


def _query(line: dict[str, Any]) -> Query:
    category = line.get("category")
    return Query(
        _text(line, "query"),
        _names(line, "gold") or frozenset(),
        category if isinstance(category, str) else None,
        _names(line, "tools"),
    )


def _text(line: dict[str, Any], key: str) -> str:
    value = line.get(key)
    if not isinstance(value, str):
        raise BadLine(f'it has no "{key}"' if value is None else f'"{key}" is no text')
    return value


def _names(line: dict[str, Any], key: str) -> frozenset[str] | None:
    value = line.get(key)
    if value is None and key != "gold":
        return None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadLine(f'"{key}" is no list of names')
    return frozenset(value)
