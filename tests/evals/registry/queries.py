"""The labelled queries, read and checked."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).parent
IDLE = HERE / "queries.jsonl"
PACKS = HERE.parent / "packs"
CATALOGUE_QUERIES = HERE / "catalogue_queries.jsonl"

Split = Literal["dev", "held"]


@dataclass(frozen=True, slots=True)
class Query:
    """What a user says, and the tools a good agent would want for it."""

    id: str
    split: Split
    language: Literal["en", "he"]
    kind: str
    query: str
    gold: frozenset[str]
    recent: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """Whose tools it is about: those that exist, or those of the catalogue."""
        return "catalogue" if self.id.startswith("cat-") else "existing"

    @property
    def context(self) -> tuple[str, ...]:
        """The user's earlier messages, newest first."""
        return self.recent[::-1]


def own_queries() -> list[Query]:
    """The queries over the capabilities that exist, and those that need no tool."""
    files = [*sorted(PACKS.glob("*/queries.jsonl")), IDLE]
    return [query for file in files for query in read_queries(file)]


def read_queries(path: Path) -> list[Query]:
    """Read the queries of a file.

    Raises:
        ValueError: A line's split is not the one that its id gives.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_query(json.loads(line)) for line in lines if line.strip()]


def split_of(id: str) -> Split:
    """The split that an id falls into, for good."""
    return "dev" if hashlib.sha256(id.encode()).digest()[0] % 2 else "held"


def _query(line: dict[str, Any]) -> Query:
    query = Query(
        **{**line, "gold": frozenset(line["gold"]), "recent": tuple(line.get("recent", ()))}
    )
    if query.split != split_of(query.id):
        raise ValueError(f"{query.id} is in the split {query.split!r} and not in its own")
    return query
