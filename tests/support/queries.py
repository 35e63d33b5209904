"""Requires indexes on the emulator as production does, and records which functions build queries.

Importing `committed_indexes` into a conftest makes it hold for every test there: a query that no
index in firestore.indexes.json serves fails as it would in production.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition
from google.cloud.firestore_v1.base_collection import BaseCollectionReference
from google.cloud.firestore_v1.base_query import BaseQuery
from google.cloud.firestore_v1.services.firestore import FirestoreClient

from tests.support.indexes import Indexes, shape_of

FUNCTIONS = Path(__file__).parents[2] / "functions"
PLACES = (FUNCTIONS / "rollcall", FUNCTIONS / "packs")
_BUILDERS = ("where", "order_by", "find_nearest")

Place = tuple[str, str]
"""A file of the package and a function in it."""

built: set[Place] = set()
"""Functions of the package that built a query in this session."""


@pytest.fixture(autouse=True)
def committed_indexes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Refuse queries without an index; fail the test even where it survives the refusal."""
    indexes = Indexes.committed()
    refused: list[str] = []

    def check(query: Any) -> None:
        problem = indexes.problem(shape_of(query))
        if problem:
            refused.append(problem)
            raise FailedPrecondition(f"The query requires {problem}")

    _before(monkeypatch, FirestoreClient, "run_query", lambda r: check(r["structured_query"]))
    _before(monkeypatch, FirestoreClient, "run_aggregation_query", lambda r: check(_counted(r)))
    for kind in (BaseCollectionReference, BaseQuery):
        for name in _BUILDERS:
            _note_callers(monkeypatch, kind, name)
    yield
    assert not refused, f"queries without an index: {refused}"


def _counted(request: dict[str, Any]) -> Any:
    """The query that is counted; a count needs the indexes of its query and no more."""
    query = request["structured_aggregation_query"]
    if any("count" not in aggregation for aggregation in query.aggregations):
        raise NotImplementedError("which index a sum or an average needs is not known here yet")
    return query.structured_query


def _before(
    monkeypatch: pytest.MonkeyPatch, kind: type, name: str, check: Callable[[Any], None]
) -> None:
    original = getattr(kind, name)

    def checked(self: Any, request: Any = None, **options: Any) -> Any:
        check(request)
        return original(self, request=request, **options)

    monkeypatch.setattr(kind, name, checked)


def _note_callers(monkeypatch: pytest.MonkeyPatch, kind: type, name: str) -> None:
    original = getattr(kind, name)

    def noting(self: Any, *arguments: Any, **options: Any) -> Any:
        _note(sys._getframe(1))
        return original(self, *arguments, **options)

    monkeypatch.setattr(kind, name, noting)


def _note(frame: FrameType) -> None:
    file = Path(frame.f_code.co_filename)
    if any(map(file.is_relative_to, PLACES)):
        named = [part for part in frame.f_code.co_qualname.split(".") if part[0] != "<"]
        built.add((str(file.relative_to(FUNCTIONS)), named[-1]))


def builders() -> set[Place]:
    """Functions of the package whose code builds a query."""
    return {
        (str(file.relative_to(FUNCTIONS)), name)
        for place in PLACES
        for file in place.rglob("*.py")
        for name in _builders_in(ast.parse(file.read_text(encoding="utf-8")))
    }


def _builders_in(tree: ast.AST, *, within: str = "") -> Iterator[str]:
    """Names of the innermost functions that build a query."""
    for node in ast.iter_child_nodes(tree):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        has_arguments = is_call and bool(node.args or node.keywords)  # unlike certifi.where()
        if has_arguments and node.func.attr in _BUILDERS:
            yield within
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _builders_in(node, within=node.name if is_function else within)
