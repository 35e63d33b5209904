"""Recall, order and cost of the tools offered for the labelled queries.

`recall@k` is the mean share of a query's tools among the first k, `all@5` the share of queries
with every one of them among the first five; the place of the first counts into the MRR. `nothing`
is the share of queries for which no tool is offered: right where none is needed, a loss elsewhere.
`sent` is the length of the offered tools' JSON in that of all tools registered.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from rollcall.registry.index import Index
from tests.evals.registry.queries import CATALOGUE_QUERIES, QUERIES, Query, read_queries
from tests.evals.registry.tools import Document, catalogue, declared, searchable, sent_chars
from tests.evals.report import Measured, mean, share, table

OFFERED = 5
_CUTS = (1, 5, 10)

Rank = Callable[[Query], list[str]]
"""The tools found for a query, best first, at most ten."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query and what was found for it, in how many milliseconds."""

    query: Query
    found: list[str]
    ms: float

    def recall(self, cut: int) -> float:
        """The share of the tools that are needed among the first `cut`."""
        return len(self.query.gold & set(self.found[:cut])) / len(self.query.gold)

    @property
    def reciprocal_rank(self) -> float:
        return next(
            (1 / rank for rank, id in enumerate(self.found, 1) if id in self.query.gold), 0.0
        )


def measure() -> Measured:
    """Ask the queries over the capabilities that exist, then all of them over the catalogue too."""
    own, more = declared(), catalogue()
    over_own, over_more = read_queries(QUERIES), read_queries(CATALOGUE_QUERIES)
    runs = {
        f"{len(own)} tools": (own, over_own),
        f"{len(own) + len(more)} tools": ([*own, *more], over_own),
        f"{len(own) + len(more)} tools, the catalogue's queries": ([*own, *more], over_more),
    }
    tables, figures = [], {}
    for name, (documents, queries) in runs.items():
        asked = ask(by_words(documents), queries)
        figures[name] = {group: of(some, documents) for group, some in groups(asked).items()}
        tables.append(_table(f"Offered by words, {name}", figures[name]))
    return Measured(tables, figures)


def by_words(documents: Sequence[Document]) -> Rank:
    """Rank these tools by the words they share with a query."""
    index = Index.build([searchable(each) for each in documents])
    ids = [each["id"] for each in documents]

    def rank(query: Query) -> list[str]:
        found = index.search(query.query, limit=_CUTS[-1], context=query.context)
        return [ids[match.place] for match in found]

    return rank


def ask(rank: Rank, queries: Iterable[Query]) -> list[Asked]:
    """Put the queries, each on the clock."""
    asked = []
    for query in queries:
        started = time.perf_counter()
        found = rank(query)
        asked.append(Asked(query, found, (time.perf_counter() - started) * 1000))
    return asked


def groups(asked: Sequence[Asked]) -> dict[str, list[Asked]]:
    """Queries that need tools, together and apart; then those that need none."""
    needing = [item for item in asked if item.query.gold]
    idle = [item for item in asked if not item.query.gold]
    made = {"need tools": needing}
    for name in ("split", "language", "kind"):
        for item in needing:
            made.setdefault(getattr(item.query, name), []).append(item)
    if idle:
        made["need none"] = idle
        for item in idle:
            made.setdefault(f"none: {item.query.split}", []).append(item)
            made.setdefault(f"none: {item.query.kind}", []).append(item)
    return made


def of(asked: Sequence[Asked], documents: Sequence[Document]) -> dict[str, Any]:
    """The figures of some queries over these tools."""
    by_id = {each["id"]: each for each in documents}
    every = sent_chars(documents)
    sent = [sent_chars([by_id[id] for id in item.found[:OFFERED]]) / every for item in asked]
    needing = [item for item in asked if item.query.gold]
    figures: dict[str, Any] = {"queries": len(asked)}
    for cut in _CUTS:
        figures[f"recall@{cut}"] = mean([item.recall(cut) for item in needing])
    figures["all@5"] = share(sum(item.recall(5) == 1 for item in needing), len(needing))
    figures["mrr"] = mean([item.reciprocal_rank for item in needing])
    figures["nothing"] = share(sum(not item.found for item in asked), len(asked))
    figures["sent"] = mean(sent)
    figures["p50_ms"] = round(median(item.ms for item in asked), 3)
    return figures


def _table(title: str, figures: dict[str, dict[str, Any]]) -> Table:
    columns = list(figures["need tools"])
    rows = [[name, *(group[key] for key in columns)] for name, group in figures.items()]
    return table(title, ["", *columns], rows)
