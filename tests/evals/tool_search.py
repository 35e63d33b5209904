"""Finds tools by words, and by meaning where an embedder is named, over a pool given as JSON lines:

    make eval POOL=<file.jsonl> QUERIES=<file.jsonl> [BASELINE=1] [EMBEDDER=openai:<name>] [JSON=1]

What the lines are is in `pools.py`. Without emulator, key or other data.

Over the queries with tools: `recall@k` is the mean share of a query's tools among the first k of
the whole pool, `mrr` the mean of 1 / the place of the first of them (none among the first 10 counts
0), `first` how often the first one found is right, `kept` how often something passes the registry's
floor. Over those without: `no_tool` is how often nothing does. Where a row names its agent's
`tools`, these two are of them alone. `p50_ms` and `p99_ms` are of one search, the message's words
cut and stemmed too.

BASELINE=1 shows stemmed BM25 beside it, with the p of a paired bootstrap for each figure.
EMBEDDER=<provider>:<name> (`meaning.py`) shows what the same queries find by meaning alone, and by
both as a run merges them, with the p against words alone; with it something is always offered.
JSON=1 prints the figures as the last line. Lines that cannot be read are named, and make the exit
code 1.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from dev import problem
from rollcall.registry.index import Index, Match, Searchable
from rollcall.registry.selection import NEAREST, SEVERAL, passes
from rollcall.registry.vectors import merged
from tests.evals.bm25 import Bm25, chance
from tests.evals.meaning import Meaning, embed_tools, embedder_from_environment
from tests.evals.pools import Query, read_pool, read_queries
from tests.evals.report import mean, table

_CUTS = (1, 5, 10)
_FIGURES: dict[str, Callable[[QueryResult], float]] = {
    **{f"recall@{cut}": lambda each, cut=cut: each.recall(cut) for cut in _CUTS},
    "mrr": lambda each: each.reciprocal_rank,
    "first": lambda each: float(each.reciprocal_rank == 1),
}


@dataclass(frozen=True, slots=True)
class QueryResult:
    """A query and the names found, best first.

    Attributes:
        is_offered: Whether something passed the floor, of the tools the row's agent has.
    """

    query: Query
    found: list[str]
    is_offered: bool
    ms: float

    def recall(self, cut: int) -> float:
        """The share of the query's tools among the first `cut`."""
        return len(self.query.gold & set(self.found[:cut])) / len(self.query.gold)

    @property
    def reciprocal_rank(self) -> float:
        """1 / the place of the first right tool."""
        places = (place for place, name in enumerate(self.found, 1) if name in self.query.gold)
        return 1 / next(places, float("inf"))


def main() -> int:
    """Measure, print, and return 1 if a line could not be read."""
    pool, queries = _path("POOL"), _path("QUERIES")
    tools, problems = read_pool(pool)
    asked, more = read_queries(queries, tools)
    problems += more
    console = Console(width=120)
    for line in problems:
        console.print(f"[red]not read:[/] {escape(line)}", soft_wrap=True)
    if not tools or not asked:
        raise problem.Problem(f"There is nothing to measure in {pool.name} and {queries.name}.")
    answered = answer(tools, asked)
    told = {**figures(answered), "tools": len(tools), "notRead": len(problems)}
    has_gold = any(query.gold for query in asked)
    console.print(_table(f"{len(tools):,} tools by words alone", answered))
    if os.environ.get("BASELINE") == "1" and has_gold:
        console.print(_compared(answered, _baseline(tools, asked), ("words", "stemmed BM25")))
    if embedder := embedder_from_environment():
        meaning = embed_tools(embedder, tools, (query.text for query in asked))
        for name, find in (("meaning", by_meaning), ("both", by_both)):
            found = find(tools, asked, meaning)
            told[name] = figures(found)
            console.print(_table(f"{len(tools):,} tools by {name}, {embedder.id}", found))
            if has_gold:
                console.print(_compared(found, answered, (name, "words")))
    if os.environ.get("JSON") == "1":
        print(json.dumps(told))
    return 1 if problems else 0


def answer(tools: Sequence[Searchable], queries: Sequence[Query]) -> list[QueryResult]:
    """Search an index of the tools for each query, and time it."""
    index = Index.build(tools)
    places = {tool.id: place for place, tool in enumerate(tools)}
    index.search(queries[0].text, limit=_CUTS[-1])
    answered = []
    for query in queries:
        started = time.perf_counter()
        matches = index.search(query.text, limit=_CUTS[-1])
        ms = (time.perf_counter() - started) * 1000
        found = [tools[match.place].id for match in matches]
        if query.tools is not None:
            matches = _among(index, query, places)
        answered.append(QueryResult(query, found, passes(matches), ms))
    return answered


def by_meaning(
    tools: Sequence[Searchable], queries: Sequence[Query], meaning: Meaning
) -> list[QueryResult]:
    """Search the vectors alone; the embedder's own time is not counted."""

    def find(query: Query) -> list[int]:
        near = meaning.near(query.text)
        return [place for place, _ in near(bytes([1]) * len(tools), _CUTS[-1])]

    return _timed(tools, queries, find)


def by_both(
    tools: Sequence[Searchable], queries: Sequence[Query], meaning: Meaning
) -> list[QueryResult]:
    """Search words and vectors, and merge the results as a run does."""
    index = Index.build(tools)

    def find(query: Query) -> list[int]:
        words = index.search(query.text, limit=_CUTS[-1])
        near = meaning.near(query.text)(bytes([1]) * len(tools), NEAREST)
        return [match.place for match in merged(words, near, limit=_CUTS[-1])]

    return _timed(tools, queries, find)


def _timed(
    tools: Sequence[Searchable], queries: Sequence[Query], find: Callable[[Query], list[int]]
) -> list[QueryResult]:
    """What each query finds, on the clock, with something offered whatever it asks."""
    answered = []
    for query in queries:
        started = time.perf_counter()
        places = find(query)
        ms = (time.perf_counter() - started) * 1000
        answered.append(QueryResult(query, [tools[at].id for at in places], bool(places), ms))
    return answered


def figures(answered: Sequence[QueryResult]) -> dict[str, Any]:
    """The figures of some queries; None where there is no query to take one of."""
    needing = [each for each in answered if each.query.gold]
    idle = [each for each in answered if not each.query.gold]
    times = sorted(each.ms for each in answered)
    return {
        **{name: mean([of(each) for each in needing]) for name, of in _FIGURES.items()},
        "kept": mean([float(each.is_offered) for each in needing]),
        "no_tool": mean([float(not each.is_offered) for each in idle]),
        "queries": len(answered),
        "p50_ms": round(median(times), 3),
        "p99_ms": round(times[len(times) * 99 // 100], 3),
    }


def _among(index: Index, query: Query, places: dict[str, int]) -> list[Match]:
    allowed = bytearray(len(places))
    for name in query.tools or ():
        if name in places:
            allowed[places[name]] = 1
    return index.search(query.text, limit=SEVERAL, allowed=allowed)


def _baseline(tools: Sequence[Searchable], queries: Sequence[Query]) -> list[QueryResult]:
    bm25 = Bm25(tools)
    ranked = ([tools[at].id for at in bm25.search(each.text, _CUTS[-1])] for each in queries)
    return [
        QueryResult(query, found, bool(found), 0.0)
        for query, found in zip(queries, ranked, strict=True)
    ]


def _table(title: str, answered: Sequence[QueryResult]) -> Table:
    groups = {"all": list(answered)}
    for each in answered:
        if each.query.category is not None:
            groups.setdefault(each.query.category, []).append(each)
    rows = [[name, *figures(group).values()] for name, group in groups.items()]
    return table(title, ["", *figures(answered)], rows)


def _compared(
    ours: Sequence[QueryResult], theirs: Sequence[QueryResult], names: tuple[str, str]
) -> Table:
    rows = []
    for name, of in _FIGURES.items():
        pair = [[of(each) for each in some if each.query.gold] for some in (ours, theirs)]
        rows.append([name, *map(mean, pair), f"{chance(*pair):.4f}"])
    return table(f"{names[0]} beside {names[1]}", ["", *names, "p"], rows)


def _path(variable: str) -> Path:
    given = os.environ.get(variable)
    if not given:
        raise problem.Problem(f"Name the file: {variable}=<file.jsonl>")
    path = Path(given)
    if not path.is_file():
        raise problem.Problem(f"There is no file {given}, as {variable} says.")
    return path


if __name__ == "__main__":
    problem.run(main)
