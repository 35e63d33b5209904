"""What Rollcall itself brings to a project: rules, indexes, and the names that these use."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from rollcall.commands.init import indexes
from rollcall.commands.rules import compose_indexes, fragments, rules_block
from rollcall.store.paths import COLLECTIONS

_ENDPOINTS = Path(__file__).parents[2] / "endpoints"


class Platform(Struct, frozen=True):
    """What Rollcall adds to a project, under a prefix."""

    prefix: str
    rules: str
    """A `match /databases/{database}/documents { ... }` with the rules of the app's packs too."""
    indexes: dict[str, Any]
    """As in firestore.indexes.json, those of the app's packs among them."""
    collections: tuple[str, ...]
    """The paths of the platform's collections, as in `threads/{}/messages`."""
    shared_groups: frozenset[str]
    """The ids of those collections whose indexes concern every collection of that id."""
    functions: frozenset[str]
    """The names of the engine's functions."""


def platform(prefix: str, packages: Mapping[str, Path]) -> Platform:
    """Read what the library brings, and what the app's packages add to it.

    Args:
        prefix: What names of the platform begin with; empty for none.
        packages: The folders of the app's packages, by name.
    Raises:
        Problem: Two of them have rules for one collection.
    """
    parts = fragments(packages)
    own = compose_indexes([each for each in parts if each.is_platform], prefix)
    return Platform(
        prefix=prefix,
        rules=rules_block(parts, prefix),
        indexes=compose_indexes(parts, prefix),
        collections=tuple(_prefixed(path, prefix) for path in COLLECTIONS),
        shared_groups=frozenset(indexes.shared_groups(own)),
        functions=frozenset(_function_names(prefix)),
    )


def _prefixed(path: str, prefix: str) -> str:
    if not prefix:
        return path
    return "/".join(each if each == "{}" else f"{prefix}_{each}" for each in path.split("/"))


def _function_names(prefix: str) -> Iterator[str]:
    """What the engine's functions are deployed as, read from their sources: importing them all
    takes a second. A queue's name has no underscore."""
    for path in sorted(_ENDPOINTS.rglob("*.py")):
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.FunctionDef):
                for decorator in map(ast.unparse, node.decorator_list):
                    if decorator.startswith("bound("):
                        joint = "" if decorator.startswith("bound(OnTask(") else "_"
                        yield f"{prefix}{joint}{node.name}" if prefix else node.name
