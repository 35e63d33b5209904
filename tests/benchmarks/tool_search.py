"""The word search over tools: building, bytes, loading and queries, at growing registries.

The tools are made up, after 1,703 real ones (those of the Berkeley Function-Calling Leaderboard; in
brackets what is true of them, and of queries with 10 to 40 words). A tool has a name of 2 to 4
words, a description of 6 to 16, and up to 3 arguments with 2 to 5 words each: 20 different words
(20). A word's share falls with its rank: the first is in 28 of 100 tools, the tenth in 15, the
hundredth in 3 (31, 16, 3). There are more words the more tools there are, by Heaps' law: 4,362 in
1,703 tools (4,363), and so 11,000 in 10,000. A word of 6.6 letters (6.4) shares its three-letter
pieces 290 times with others of 1,703 tools (204): few syllables make many words alike.

A query has 10 to 40 words: half are function words of English, a fifth are one tool's own, one in
twelve is known to no tool, the others spread wider than the tools' are. So it looks for 12 words
(10), 2 of which nobody knows (2), and the others are in 38 of 100 tools, summed up (24). All in all
it asks a little more than real ones do.

Each query is asked once of an index just loaded, so what is kept between queries is what queries
before it left; its time has the cutting and stemming of its words in it. Times are of the process,
so that a busy machine counts little. The import is that of `rollcall.registry.index` after what
every function has loaded anyway, the median of 5 processes.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from rich.table import Table

from rollcall.core.texts import TEXTS
from rollcall.registry.index import Index, Searchable
from tests.evals.bm25 import Bm25

T = TypeVar("T")

SIZES = (100, 1_000, 10_000)
QUERIES = 500
OFFERED = 8
_IMPORTS = 5
_FUNCTIONS = Path(__file__).parents[2] / "functions"
_TIMED_IMPORT = """
import time
import rollcall.core.context
started = time.process_time()
import rollcall.registry.index
print((time.process_time() - started) * 1000)
"""
_VOWELS = [*"aeiou" * 2, "ai", "ea", "ee", "io", "oo", "ou", "y"]
_CLUSTERS = [a + b for a in "bcfgps" for b in "lr"] + ["ch", "dr", "qu", "sh", "st", "th", "tr"]
_ONSETS = ["", *"bcdfghjklmnprstvwz", *_CLUSTERS]
_CODAS = [*[""] * 5, *"bcdfglmnprstvx", *(a + b for a in "nr" for b in "dgmt"), "ck", "mp", "st"]
_ENDINGS = [*[""] * 20, "al", "ed", "er", "ing", "ion", "ity", "ment", "or", "s", "y"]
_HEAPS, _GROWTH = 165, 0.46


def measure() -> Table:
    """One row for each size; the import in the title."""
    table = Table(title=f"Word search, {QUERIES} queries each; import {_import_ms():.1f} ms")
    for column in (
        "tools",
        "words",
        "build s",
        "kB",
        "load ms",
        "query ms, median",
        "p99",
        "plain",
    ):
        table.add_column(column, justify="right")
    for size in SIZES:
        table.add_row(*_row(size))
    return table


def _row(size: int) -> list[str]:
    draw = random.Random(size)
    words = _Words.made(round(_HEAPS * size**_GROWTH), draw)
    tools = [_tool(words) for _ in range(size)]
    said = words.said_by(tools)
    queries = [_query(said, draw.choice(tools)) for _ in range(QUERIES)]
    built = _timed(lambda: Index.build(tools))
    data = built.done.dump()
    loads = [_timed(lambda: Index.load(data)) for _ in range(5)]
    index = loads[-1].done
    plain = Bm25(tools)
    both = [
        (
            _timed(partial(index.search, text, limit=OFFERED)),
            _timed(partial(plain.search, text, OFFERED)),
        )
        for text in queries
    ]
    times = sorted(ours.ms for ours, _ in both)
    ratio = statistics.median(times) / statistics.median(theirs.ms for _, theirs in both)
    return [
        f"{size:,}",
        f"{len(words.known):,}",
        f"{built.ms / 1000:.2f}",
        f"{len(data) / 1000:,.0f}",
        f"{statistics.median(load.ms for load in loads):.1f}",
        f"{statistics.median(times):.3f}",
        f"{times[len(times) * 99 // 100]:.3f}",
        f"x {ratio:.2f}",
    ]


class _Words:
    """Made-up words by falling frequency."""

    def __init__(self, known: list[str], draw: random.Random) -> None:
        self.known = known
        self._all = frozenset(known)
        self.random = draw
        self._declared = _shares(len(known), 8)
        self._asked = _shares(len(known), 60)

    @classmethod
    def made(cls, count: int, draw: random.Random) -> _Words:
        """Make up so many."""
        known: dict[str, None] = {}
        while len(known) < count:
            known[_word(draw)] = None
        return cls(list(known), draw)

    def said_by(self, tools: list[Searchable]) -> _Words:
        """The words that some tool has."""
        said = {word for tool in tools for word in tool.description.split()}
        return _Words([word for word in self.known if word in said], self.random)

    def unheard(self) -> str:
        """Make up a word that no tool has."""
        while (word := _word(self.random)) in self._all:
            pass
        return word

    def declared(self, least: int, most: int) -> list[str]:
        """Draw a number of them as tools have them."""
        count = self.random.randint(least, most)
        return self.random.choices(self.known, cum_weights=self._declared, k=count)

    def asked(self, count: int) -> list[str]:
        """Draw so many as users say them."""
        return self.random.choices(self.known, cum_weights=self._asked, k=count)


def _shares(count: int, flatness: int) -> list[float]:
    return list(accumulate(1 / (rank + flatness) for rank in range(1, count + 1)))


def _word(draw: random.Random) -> str:
    syllables = draw.randint(1, 2)
    parts = (draw.choice(each) for _ in range(syllables) for each in (_ONSETS, _VOWELS, _CODAS))
    return "".join(parts) + draw.choice(_ENDINGS)


def _tool(words: _Words) -> Searchable:
    arguments = words.declared(0, 3)
    return Searchable(
        "_".join(words.declared(2, 4)),
        description=" ".join(words.declared(6, 16)),
        parameters=tuple((each, " ".join(words.declared(2, 5))) for each in arguments),
        required=len(arguments) // 2,
    )


def _query(words: _Words, tool: Searchable) -> str:
    draw = words.random
    count = draw.randint(10, 40)
    said = draw.choices(tool.description.split(), k=count // 5)
    said += draw.choices(
        sorted(" ".join(TEXTS.data("en", "words.stopwords")).split()), k=count // 2
    )
    said += [words.unheard() for _ in range(count // 12)]
    said += words.asked(count - len(said))
    draw.shuffle(said)
    return " ".join(said)


class _Timed(NamedTuple, Generic[T]):
    ms: float
    done: T


def _timed(work: Callable[[], T]) -> _Timed[T]:
    started = time.process_time()
    done = work()
    return _Timed((time.process_time() - started) * 1000, done)


def _import_ms() -> float:
    printed = [
        subprocess.run(
            [sys.executable, "-c", _TIMED_IMPORT],
            env={**os.environ, "PYTHONPATH": str(_FUNCTIONS)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(_IMPORTS)
    ]
    return statistics.median(map(float, printed))
