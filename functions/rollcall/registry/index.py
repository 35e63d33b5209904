"""The word search over tools: an inverted index with ready-made weights, in plain Python.

Each word of a tool has one weight, made when the index is built: how often it stands in the tool's
fields, a name counting more than a description and long fields damped (BM25F), saturated to 0..255;
a tool that needs many arguments weighs a little less. A message scores a tool by the sum of
`rarity * weight` over its words, and over the words that are written like them (`likeness`), which
count less.

Two things keep a search short. The words that say much of few tools are read first, and once those
still to come can lift no new tool into the best `limit`, they are only looked up for the tools
already found (MaxScore: the answer stays exact). And what a user may not use is dropped before that
bound is taken, so that a narrow permission costs no more than a wide one.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple, Self

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
# A word in more tools than this is looked up in a list of all tools, a byte each; so many bytes of
# such lists are kept.
_FREQUENT = 128
_KEPT = 8 << 20
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


class _Columns(NamedTuple):
    """What an index is made of.

    Attributes:
        starts: Where each word's tools begin in `places`, and after the last word their end.
        places: The tools that have each word, ascending.
        weights: How much the word counts in each of these, 1..255.
        peaks: The greatest of each word's weights.
        like_starts: Where each word's like words begin in `like`, and their end.
        like: Words written like another, by number.
        likenesses: How like each of these is, 1..255.
    """

    size: int
    words: Sequence[str]
    starts: array[int]
    places: array[int]
    weights: bytes
    peaks: bytes
    like_starts: array[int]
    like: array[int]
    likenesses: bytes


class Index:
    """Tools by the words that find them. Any number of threads may search it."""

    def __init__(self, columns: _Columns, likeness: Likeness) -> None:
        self._c = columns
        self._likeness = likeness
        self._terms = {word: number for number, word in enumerate(columns.words)}
        size = columns.size
        self._rarities = [_rarity(last - first, size) for first, last in pairwise(columns.starts)]
        self._unknown_rarity = _rarity(0, size)
        self._spread = lru_cache(maxsize=_KEPT // max(size, 1))(self._spread_out)
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
                bytes(max(weight for _, weight in postings[word]) for word in words),
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
                c.peaks,
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
        size, text, starts, places, weights, peaks, like_starts, like, likenesses = packing.unpack(
            data, 9
        )
        words = text.decode().split("\n") if text else []
        columns = _Columns(
            int.from_bytes(size, "little"),
            words,
            packing.column("I", starts),
            packing.column("I", places),
            weights,
            peaks,
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
        best = self._ranked(values, limit, allowed)
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

    def _ranked(
        self, values: Mapping[int, float], limit: int, allowed: bytes | bytearray | None
    ) -> list[tuple[int, float]]:
        """The best `limit` places with their scores; of one score the earlier place comes first."""
        order = self._order(values)
        # What the words still to come can add at most, a little more for rounding.
        left = math.fsum(most for _, most, _ in order) + _ROUNDING
        scores: dict[int, float] = {}
        floor = 0.0
        news = 0
        for done, (term, most, value) in enumerate(order):
            # Finding the floor costs about as much as reading half as many tools.
            if news > len(scores) / 2 and floor <= left:
                scores = _only(scores, allowed)
                floor = _nth_best(scores.values(), limit)
                news = 0
            if floor > left:
                found = self._looked_up(_only(scores, allowed), floor, left, order[done:])
                return _best(found, limit)
            news += self._read(term, value, scores)
            left -= most
        return _best(list(_only(scores, allowed).items()), limit)

    def _order(self, values: Mapping[int, float]) -> list[tuple[int, float, float]]:
        """Each word with what it can add at most and its value; those first that say much of few
        tools."""
        starts, peaks = self._c.starts, self._c.peaks
        order = []
        for term, value in values.items():
            most = value * peaks[term] / _FULL
            order.append(((starts[term + 1] - starts[term]) / most, term, most, value))
        order.sort()
        return [(term, most, value) for _, term, most, value in order]

    def _read(self, term: int, value: float, scores: dict[int, float]) -> int:
        """Add what a word gives to every tool that has it; return how many these are."""
        value /= _FULL
        known = scores.get
        for place, weight in self._tools(term):
            scores[place] = known(place, 0.0) + value * weight
        return self._c.starts[term + 1] - self._c.starts[term]

    def _looked_up(
        self,
        scores: Mapping[int, float],
        floor: float,
        left: float,
        order: Sequence[tuple[int, float, float]],
    ) -> list[tuple[int, float]]:
        """The places already found that can still be among the best, with the scores that the other
        words bring them to."""
        found = list(scores.items())
        for term, most, value in order:
            least = floor - left
            value /= _FULL
            if self._c.starts[term + 1] - self._c.starts[term] > _FREQUENT:
                weights = self._spread(term)
                found = [(at, score + value * weights[at]) for at, score in found if score >= least]
            else:
                weight = dict(self._tools(term)).get
                found = [
                    (at, score + value * weight(at, 0)) for at, score in found if score >= least
                ]
            left -= most
        return found

    def _tools(self, term: int) -> Iterator[tuple[int, int]]:
        """The tools that have a word, with its weight in each."""
        c = self._c
        first, last = c.starts[term], c.starts[term + 1]
        return zip(c.places[first:last], c.weights[first:last], strict=True)

    def _spread_out(self, term: int) -> bytearray:
        """A word's weight in every tool, by place."""
        weights = bytearray(self._c.size)
        for place, weight in self._tools(term):
            weights[place] = weight
        return weights

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
        len(c.starts) == len(c.like_starts) == len(c.peaks) + 1 == count + 1
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


def _nth_best(scores: Collection[float], limit: int) -> float:
    return nlargest(limit, scores)[-1] if limit <= len(scores) else 0.0


def _best(found: Sequence[tuple[int, float]], limit: int) -> list[tuple[int, float]]:
    floor = _nth_best([score for _, score in found], limit)
    kept = sorted((-score, place) for place, score in found if score >= floor)
    return [(place, -score) for score, place in kept[:limit]]
