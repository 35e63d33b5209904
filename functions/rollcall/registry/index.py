"""The word search over tools: an inverted index with ready-made weights, in plain Python.

Each word of a tool has one weight, made when the index is built: how often it stands in the tool's
fields, a name counting more than a description and long fields damped (BM25F), saturated to 0..255;
a tool that needs many arguments weighs a little less. A message scores a tool by the sum of
`rarity * weight` over its words, and over the words that are written like them (`likeness`), which
count less.

Two things keep a search short. Rare words are read first, and once the frequent ones still to come
can lift no new tool into the best `limit`, they are only looked up for the tools already found
(MaxScore: the answer stays exact). And what a user may not use is dropped before that bound is
taken, so that a narrow permission costs no more than a wide one.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise
from typing import Self

from rollcall.registry import packing, wording
from rollcall.registry.likeness import Likeness

# How much a word counts by the field it stands in, and how far the field's length damps it.
_FIELDS = {
    "name": (2.5, 0.4),
    "keywords": (2.5, 0.4),
    "examples": (1.5, 0.5),
    "description": (1.0, 0.4),
    "parameters": (0.6, 0.5),
}
_SATURATION = 1.5
# What a needed argument takes off a tool's weights: a message seldom says that much.
_DEMAND, _MOST_NEEDED = 0.07, 8
# What a word written alike counts of the word itself.
_ALIKE = 0.7
_FULL = 255
# A word in more tools is read last. The tools of so many such words are kept at hand, a byte each.
_FREQUENT = 64
_MOST_SPREAD = 512
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Searchable:
    """What can be found of a tool.

    Attributes:
        names: Display names, of all languages.
        examples: What users say when they want it.
        parameters: Names, each with its description and allowed values.
        required: How many arguments a call must have.
    """

    id: str
    names: tuple[str, ...] = ()
    description: str = ""
    keywords: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()
    required: int = 0


@dataclass(frozen=True, slots=True)
class Match:
    """A tool found.

    Attributes:
        place: Its position in the sequence the index was built from.
        score: Ranks the matches of one query; no unit.
        fit: How strongly the message itself speaks for this tool, 0..1, comparable between
            messages: 0.5 is as much as one word that is this tool's alone and its very name,
            0.67 as much as two of them. The thread's earlier messages do not count.
    """

    place: int
    score: float
    fit: float


@dataclass(frozen=True, slots=True)
class _Columns:
    """What an index is made of.

    Attributes:
        starts: Where each word's tools begin in `places`, and after the last word their end.
        places: The tools that have each word, ascending.
        weights: How much the word counts in each of these, 1..255.
        like_starts: Where each word's like words begin in `like`, and their end.
        like: Words written like another, by number.
        likenesses: How like each of these is, 1..255.
    """

    size: int
    words: Sequence[str]
    starts: array[int]
    places: array[int]
    weights: bytes
    like_starts: array[int]
    like: array[int]
    likenesses: bytes


@dataclass(frozen=True, slots=True)
class _Spread:
    """A frequent word's weight in every tool, by place, and the greatest of them, 0..1."""

    weights: bytearray
    peak: float


class Index:
    """Tools by the words that find them. Any number of threads may search it."""

    def __init__(self, columns: _Columns, likeness: Likeness) -> None:
        self._c = columns
        self._likeness = likeness
        self._terms = {word: number for number, word in enumerate(columns.words)}
        size = columns.size
        self._rarities = [_rarity(last - first, size) for first, last in pairwise(columns.starts)]
        self._unknown_rarity = _rarity(0, size)
        self._spread = lru_cache(maxsize=_MOST_SPREAD)(self._spread_out)
        self._near_unknown = lru_cache(maxsize=4_096)(likeness.near)

    @classmethod
    def build(cls, tools: Sequence[Searchable]) -> Self:
        """Index tools; a match's `place` counts in their order."""
        postings = _postings(tools)
        words = sorted(postings)
        likeness = Likeness(words)
        near = [likeness.near(word) for word in words]
        return cls(
            _Columns(
                len(tools),
                words,
                _ends(len(postings[word]) for word in words),
                array("I", (place for word in words for place, _ in postings[word])),
                bytes(weight for word in words for _, weight in postings[word]),
                _ends(len(found) for found in near),
                array("I", (word for found in near for word, _ in found)),
                bytes(round(_FULL * alike) for found in near for _, alike in found),
            ),
            likeness,
        )

    def dump(self) -> bytes:
        """Return the index as compressed bytes, the same for the same tools."""
        c = self._c
        return packing.pack(
            [
                packing.numbers("I", [c.size]),
                "\n".join(c.words).encode(),
                packing.numbers("I", c.starts),
                packing.numbers("I", c.places),
                c.weights,
                packing.numbers("I", c.like_starts),
                packing.numbers("I", c.like),
                c.likenesses,
            ]
        )

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Return the index that `dump` made bytes of.

        Raises:
            ValueError: The bytes are damaged, or an index of another version.
        """
        size, text, starts, places, weights, like_starts, like, likenesses = packing.unpack(data, 8)
        words = text.decode().split("\n") if text else []
        columns = _Columns(
            int.from_bytes(size, "little"),
            words,
            packing.column("I", starts),
            packing.column("I", places),
            weights,
            packing.column("I", like_starts),
            packing.column("I", like),
            likenesses,
        )
        _check(columns)
        return cls(columns, Likeness(words))

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
        if allowed is not None and len(allowed) != self._c.size:
            raise ValueError(f"allowed has {len(allowed)} places, the index {self._c.size}")
        if limit < 1:
            return []
        asked = wording.asked(text)
        values = self._values({**wording.mentioned(context), **asked})
        best = _best(self._scores(values, limit, allowed), limit)
        if not context:
            return [Match(place, score, self._fit(score)) for place, score in best]
        own = self._values(asked)
        return [Match(place, score, self._fit(self._score(own, place))) for place, score in best]

    def _values(self, asked: Mapping[str, float]) -> dict[int, float]:
        """What each word that could be met adds to a score where it has its full weight."""
        values: dict[int, float] = {}
        for word, counts in asked.items():
            term = self._terms.get(word)
            rarity = self._unknown_rarity
            if term is not None:
                rarity = self._rarities[term]
                values[term] = values.get(term, 0.0) + counts * rarity
            for other, alike in self._near(word, term):
                value = counts * _ALIKE * alike * min(rarity, self._rarities[other])
                values[other] = values.get(other, 0.0) + value
        return values

    def _near(self, word: str, term: int | None) -> Sequence[tuple[int, float]]:
        """The words written like a word, with how like they are."""
        if term is None:
            return self._near_unknown(word)
        c = self._c
        first, last = c.like_starts[term], c.like_starts[term + 1]
        return [(c.like[at], c.likenesses[at] / _FULL) for at in range(first, last)]

    def _scores(
        self, values: dict[int, float], limit: int, allowed: bytes | bytearray | None
    ) -> dict[int, float]:
        """The scores of all tools that could be among the best `limit`, by place."""
        starts = self._c.starts
        scores: dict[int, float] = {}
        frequent = []
        for term, value in values.items():
            if starts[term + 1] - starts[term] > _FREQUENT:
                frequent.append((value * self._spread(term).peak, term, value))
            else:
                self._read(term, value, scores)
        frequent.sort(reverse=True)
        scores = _only(scores, allowed)
        # What the frequent words still to come can add at most, a little more for rounding.
        left = math.fsum(most for most, _, _ in frequent) + _ROUNDING
        for done, (most, term, value) in enumerate(frequent):
            floor = _nth_best(scores, limit)
            if floor > left:
                return self._looked_up(scores, floor, left, frequent[done:])
            self._read(term, value, scores)
            scores = _only(scores, allowed)
            left -= most
        return scores

    def _read(self, term: int, value: float, scores: dict[int, float]) -> None:
        """Add what a word gives to every tool that has it."""
        c = self._c
        first, last = c.starts[term], c.starts[term + 1]
        value /= _FULL
        known = scores.get
        for place, weight in zip(c.places[first:last], c.weights[first:last], strict=True):
            scores[place] = known(place, 0.0) + value * weight

    def _looked_up(
        self,
        scores: dict[int, float],
        floor: float,
        left: float,
        frequent: Sequence[tuple[float, int, float]],
    ) -> dict[int, float]:
        """The scores of tools already found that can still be among the best, with what frequent
        words add to them."""
        for most, term, value in frequent:
            least = floor - left
            scores = {place: score for place, score in scores.items() if score >= least}
            weights = self._spread(term).weights
            value /= _FULL
            for place in scores:
                scores[place] += value * weights[place]
            left -= most
        return scores

    def _spread_out(self, term: int) -> _Spread:
        c = self._c
        weights = bytearray(c.size)
        first, last = c.starts[term], c.starts[term + 1]
        for place, weight in zip(c.places[first:last], c.weights[first:last], strict=True):
            weights[place] = weight
        return _Spread(weights, max(weights) / _FULL)

    def _score(self, values: Mapping[int, float], place: int) -> float:
        """The score of one tool."""
        c = self._c
        score = 0.0
        for term, value in values.items():
            last = c.starts[term + 1]
            at = bisect_left(c.places, place, c.starts[term], last)
            if at < last and c.places[at] == place:
                score += value * c.weights[at] / _FULL
        return score

    def _fit(self, score: float) -> float:
        met = score / self._unknown_rarity
        return met / (1 + met)


def _postings(tools: Sequence[Searchable]) -> dict[str, list[tuple[int, int]]]:
    """The tools that have each word, by place, with the word's weight in each."""
    fields = [_field_words(tool) for tool in tools]
    averages = {name: _average([found[name].total() for found in fields]) for name in _FIELDS}
    postings: dict[str, list[tuple[int, int]]] = {}
    for place, (tool, found) in enumerate(zip(tools, fields, strict=True)):
        demand = 1 + _DEMAND * min(tool.required, _MOST_NEEDED)
        for word, weight in _weights(found, averages):
            postings.setdefault(word, []).append((place, max(1, round(_FULL * weight / demand))))
    return postings


def _field_words(tool: Searchable) -> dict[str, Counter[str]]:
    texts = {
        "name": [tool.id, *tool.names],
        "keywords": tool.keywords,
        "examples": tool.examples,
        "description": [tool.description],
        "parameters": [part for parameter in tool.parameters for part in parameter],
    }
    return {name: Counter(wording.words("\n".join(parts))) for name, parts in texts.items()}


def _average(lengths: Sequence[int]) -> float:
    """The mean length of a field where there is any."""
    filled = [length for length in lengths if length]
    return sum(filled) / len(filled) if filled else 1.0


def _weights(
    fields: dict[str, Counter[str]], averages: dict[str, float]
) -> Iterator[tuple[str, float]]:
    """Each word of a tool with its weight, 0..1."""
    weights: dict[str, float] = {}
    for name, (boost, damping) in _FIELDS.items():
        length = 1 - damping + damping * fields[name].total() / averages[name]
        for word, times in fields[name].items():
            weights[word] = weights.get(word, 0.0) + boost * times / length
    return ((word, weight / (weight + _SATURATION)) for word, weight in weights.items())


def _rarity(count: int, size: int) -> float:
    return math.log(1 + (size - count + 0.5) / (count + 0.5))


def _ends(counts: Iterable[int]) -> array[int]:
    ends = array("I", [0])
    for count in counts:
        ends.append(ends[-1] + count)
    return ends


def _check(c: _Columns) -> None:
    count = len(c.words)
    whole = (
        len(c.starts) == len(c.like_starts) == count + 1
        and c.starts[-1] == len(c.places) == len(c.weights)
        and c.like_starts[-1] == len(c.like) == len(c.likenesses)
        and max(c.places, default=-1) < c.size
        and max(c.like, default=-1) < count
    )
    if not whole:
        raise ValueError("a damaged index: its columns do not belong together")


def _only(scores: dict[int, float], allowed: bytes | bytearray | None) -> dict[int, float]:
    if allowed is None:
        return scores
    return {place: score for place, score in scores.items() if allowed[place]}


def _nth_best(scores: dict[int, float], limit: int) -> float:
    return nlargest(limit, scores.values())[-1] if limit <= len(scores) else 0.0


def _best(scores: dict[int, float], limit: int) -> list[tuple[int, float]]:
    """The best `limit` places with their scores; of one score the earlier place comes first."""
    floor = _nth_best(scores, limit)
    kept = [(-score, place) for place, score in scores.items() if score >= floor]
    return [(place, -score) for score, place in sorted(kept)[:limit]]
