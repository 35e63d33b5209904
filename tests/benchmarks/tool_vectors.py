"""The search by meaning over tools: bytes, loading and queries, at growing registries.

Vectors of 768 numbers lie around centres, 25 to a centre, which share a direction, as those of
embedding models do. A query lies between a tool and noise of the same length or so. `found` is the
share of the true ten nearest, by exact cosines, among the ten returned. Times are of the process,
and without the embedder's own.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from heapq import nlargest
from operator import mul
from typing import TypeVar

from rich.table import Table

from rollcall.registry.index import Searchable
from rollcall.registry.vectors import VectorIndex

T = TypeVar("T")

SIZES = (100, 1_000, 10_000)
DIMENSIONS = 768
QUERIES = 100
CHECKED = 20
TOP = 10
_PER_CENTRE = 25
_COMMON, _NOISE = 1.2, 0.03


class _LookupEmbedder:
    """An embedder that looks up the vector of the tool that a text is of."""

    id = "made:up"
    dimensions = DIMENSIONS

    def __init__(self, vectors: Sequence[list[float]]) -> None:
        self._vectors = vectors

    def embed(self, texts: list[str], *, task: str) -> list[list[float]]:
        return [self._vectors[int(text.split("\n")[1])] for text in texts]


def measure() -> Table:
    """One row for each size."""
    table = Table(title=f"Search by meaning, {QUERIES} queries each")
    for column in ("tools", "build s", "kB", "load ms", "query ms, median", "p99", "found"):
        table.add_column(column, justify="right")
    for size in SIZES:
        table.add_row(*_row(size))
    return table


def _row(size: int) -> list[str]:
    chance = random.Random(size)
    vectors = _vectors(size, chance)
    tools = [Searchable(id=f"tool_{n}", description=str(n)) for n in range(size)]
    index, build_s = _timed(lambda: VectorIndex.build(tools, _LookupEmbedder(vectors)))
    data = index.dump()
    loaded, load_s = _timed(lambda: VectorIndex.load(data))
    queries = [_near(vectors[chance.randrange(size)], chance) for _ in range(QUERIES)]
    asked = [_timed(lambda q=query: loaded.search(q, limit=TOP)) for query in queries]
    times = sorted(seconds * 1000 for _, seconds in asked)
    found = [
        len(_exact(vectors, query) & {place for place, _ in result}) / TOP
        for query, (result, _) in zip(queries[:CHECKED], asked, strict=False)
    ]
    return [
        f"{size:,}",
        f"{build_s:.2f}",
        f"{len(data) / 1000:,.0f}",
        f"{load_s * 1000:.1f}",
        f"{statistics.median(times):.2f}",
        f"{times[math.ceil(0.99 * len(times)) - 1]:.2f}",
        f"{statistics.mean(found):.2f}",
    ]


def _vectors(size: int, chance: random.Random) -> list[list[float]]:
    common = [chance.gauss(0, _COMMON) for _ in range(DIMENSIONS)]
    centres = [
        [value + chance.gauss(0, 1) for value in common] for _ in range(-(-size // _PER_CENTRE))
    ]
    return [
        _unit([value + chance.gauss(0, 1) for value in centres[n // _PER_CENTRE]])
        for n in range(size)
    ]


def _near(vector: Sequence[float], chance: random.Random) -> list[float]:
    return _unit([value + chance.gauss(0, _NOISE) for value in vector])


def _unit(values: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(map(mul, values, values)))
    return [value / length for value in values]


def _exact(vectors: Sequence[list[float]], query: Sequence[float]) -> set[int]:
    return set(nlargest(TOP, range(len(vectors)), key=lambda n: sum(map(mul, vectors[n], query))))


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.process_time()
    done = work()
    return done, time.process_time() - started
