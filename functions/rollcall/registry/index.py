"""The word search over tools: an inverted index with ready-made weights, in plain Python.

Each word of a tool has one weight, made when the index is built: how often it stands in the
tool's fields, a name counting more than a description, long fields damped (BM25F), saturated
to 0..255. A query adds up `rarity * weight` over the words it shares with each tool.

Two things keep a query short. Rare words are read first, and once the words still to come can
lift no new tool into the best `limit`, they are only looked up for the tools already found
(MaxScore: the answer stays exact). And what a user may not use is dropped before that bound is
taken, so that a narrow permission costs no more than a wide one.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Self

from rollcall.core.text import terms
from rollcall.registry import packing

# How much a word counts by the field it stands in, and how far the field's length damps it.
_FIELDS = {
    "name": (3.0, 0.3),
    "keywords": (2.5, 0.3),
    "examples": (1.5, 0.5),
    "description": (1.0, 0.6),
    "parameters": (0.5, 0.6),
}
_SATURATION = 1.5
_FULL = 255
# A message's beginning and end hold its request; more is a document pasted into it.
_HEAD, _TAIL = 2_000, 4_000
_CONTEXT_WEIGHT, _CONTEXT_DECAY, _CONTEXT_MESSAGES, _CONTEXT_LENGTH = 0.25, 0.6, 4, 500
# Shorter lists of tools are read through without asking whether they matter.
_CHEAP = 256


@dataclass(frozen=True, slots=True)
class Searchable:
    """What can be found of a tool."""

    id: str
    names: tuple[str, ...] = ()
    description: str = ""
    keywords: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """A tool found.

    Attributes:
        place: Its position in the sequence the index was built from.
        score: Ranks the matches of one query; no unit.
        fit: The share, 0..1, of what the query asked that this tool answers: its words weighted
            by rarity. Comparable between queries.
    """

    place: int
    score: float
    fit: float


class Index:
    """Tools by the words that find them. Immutable; any number of threads may search it."""

    def __init__(
        self,
        size: int,
        vocabulary: Sequence[str],
        starts: array[int],
        places: array[int],
        weights: bytes,
    ) -> None:
        self._size = size
        self._words = vocabulary
        self._terms = {word: number for number, word in enumerate(vocabulary)}
        self._starts = starts
        self._places = places
        self._weights = weights

    @classmethod
    def build(cls, tools: Sequence[Searchable]) -> Self:
        """Index tools; a match's `place` counts in their order."""
        fields = [_field_words(tool) for tool in tools]
        averages = {
            name: sum(found[name].total() for found in fields) / max(len(fields), 1) or 1.0
            for name in _FIELDS
        }
        postings: dict[str, list[tuple[int, int]]] = {}
        for place, found in enumerate(fields):
            for word, weight in _weights(found, averages).items():
                postings.setdefault(word, []).append((place, weight))
        vocabulary = sorted(postings)
        entries = [entry for word in vocabulary for entry in postings[word]]
        starts = array("I", [0])
        for word in vocabulary:
            starts.append(starts[-1] + len(postings[word]))
        return cls(
            len(tools),
            vocabulary,
            starts,
            array("I", [place for place, _ in entries]),
            bytes(weight for _, weight in entries),
        )

    def dump(self) -> bytes:
        """Return the index as compressed bytes, the same for the same tools."""
        return packing.pack(
            [
                packing.numbers("I", [self._size]),
                "\n".join(self._words).encode(),
                packing.numbers("I", self._starts),
                packing.numbers("I", self._places),
                self._weights,
            ]
        )

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Return the index that `dump` made bytes of.

        Raises:
            ValueError: The bytes are damaged, or an index of another version.
        """
        size, words, starts, places, weights = packing.unpack(data, 5)
        index = cls(
            packing.column("I", size)[0],
            words.decode().split("\n") if words else [],
            packing.column("I", starts),
            packing.column("I", places),
            weights,
        )
        index._check()
        return index

    def search(
        self,
        text: str,
        *,
        limit: int,
        allowed: bytes | bytearray | None = None,
        context: Sequence[str] = (),
    ) -> list[Match]:
        """Return the at most `limit` tools that fit a message best, best first.

        Args:
            allowed: By place, true where the tool may be offered; None allows all.
            context: The thread's recent messages, newest first: weaker evidence.
        """
        if allowed is not None and len(allowed) != self._size:
            raise ValueError(f"allowed has {len(allowed)} places, the index {self._size}")
        own = self._asked(terms(_essence(text)))
        asked = dict(own)
        for number, message in enumerate(context[:_CONTEXT_MESSAGES]):
            weight = _CONTEXT_WEIGHT * _CONTEXT_DECAY**number
            for term, value in self._asked(terms(message[:_CONTEXT_LENGTH])).items():
                if term >= 0:
                    asked[term] = max(asked.get(term, 0.0), weight * value)
        scores = self._scores({t: v for t, v in asked.items() if t >= 0}, limit, allowed)
        best = nlargest(limit, scores, key=lambda place: (scores[place], -place))
        return [Match(place, scores[place], self._fit(own, place)) for place in best]

    def _asked(self, words: Iterable[str]) -> dict[int, float]:
        """The rarity of each word of a query by its term; unknown words have negative terms."""
        asked: dict[int, float] = {}
        for unknown, word in enumerate(words):
            term = self._terms.get(word, -1 - unknown)
            asked[term] = self._rarity(term)
        return asked

    def _rarity(self, term: int) -> float:
        tools = self._starts[term + 1] - self._starts[term] if term >= 0 else 0
        return math.log(1 + (self._size - tools + 0.5) / (tools + 0.5))

    def _scores(
        self, asked: dict[int, float], limit: int, allowed: bytes | bytearray | None
    ) -> dict[int, float]:
        """The scores of all tools that could be among the best `limit`, by place."""
        order = sorted(asked, key=lambda term: (-asked[term], term))
        left = sum(asked.values())
        scores: dict[int, float] = {}
        starts, places, weights = self._starts, self._places, self._weights
        for done, term in enumerate(order):
            first, last = starts[term], starts[term + 1]
            if last - first > _CHEAP and len(scores) >= limit:
                scores = _only(scores, allowed)
                floor = _nth_best(scores, limit)
                if floor > left:
                    return self._looked_up(scores, floor, left, order[done:], asked)
            value = asked[term] / _FULL
            for place, weight in zip(places[first:last], weights[first:last], strict=True):
                scores[place] = scores.get(place, 0.0) + value * weight
            left -= asked[term]
        return _only(scores, allowed)

    def _looked_up(
        self,
        scores: dict[int, float],
        floor: float,
        left: float,
        order: list[int],
        asked: dict[int, float],
    ) -> dict[int, float]:
        """The scores of tools already found that can still be among the best, finished."""
        scores = {place: score for place, score in scores.items() if score + left >= floor}
        for term in order:
            value = asked[term] / _FULL
            for place in scores:
                scores[place] += value * self._weight(term, place)
        return scores

    def _weight(self, term: int, place: int) -> int:
        """The weight, 0..255, of a term in a tool; 0 where it does not stand."""
        last = self._starts[term + 1]
        found = bisect_left(self._places, place, self._starts[term], last)
        return self._weights[found] if found < last and self._places[found] == place else 0

    def _fit(self, own: dict[int, float], place: int) -> float:
        total = sum(own.values())
        met = sum(value for term, value in own.items() if term >= 0 and self._weight(term, place))
        return met / total if total else 0.0

    def _check(self) -> None:
        whole = (
            len(self._starts) == len(self._words) + 1
            and self._starts[-1] == len(self._places) == len(self._weights)
            and (not self._places or max(self._places) < self._size)
        )
        if not whole:
            raise ValueError("a damaged index: its columns do not belong together")


def _field_words(tool: Searchable) -> dict[str, Counter[str]]:
    texts = {
        "name": [tool.id, *tool.names],
        "keywords": tool.keywords,
        "examples": tool.examples,
        "description": [tool.description],
        "parameters": [part for parameter in tool.parameters for part in parameter],
    }
    return {name: Counter(terms("\n".join(parts))) for name, parts in texts.items()}


def _weights(fields: dict[str, Counter[str]], averages: dict[str, float]) -> dict[str, int]:
    """The weight of each word of a tool, 1..255."""
    weights: dict[str, float] = {}
    for name, (boost, damping) in _FIELDS.items():
        length = 1 - damping + damping * fields[name].total() / averages[name]
        for word, times in fields[name].items():
            weights[word] = weights.get(word, 0.0) + boost * times / length
    return {
        word: max(1, round(_FULL * weight / (weight + _SATURATION)))
        for word, weight in weights.items()
    }


def _essence(text: str) -> str:
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def _only(scores: dict[int, float], allowed: bytes | bytearray | None) -> dict[int, float]:
    if allowed is None:
        return scores
    return {place: score for place, score in scores.items() if allowed[place]}


def _nth_best(scores: dict[int, float], limit: int) -> float:
    return nlargest(limit, scores.values())[-1] if 0 < limit <= len(scores) else 0.0
