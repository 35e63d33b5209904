"""Search over items (tools, passages, messages, articles) by their words and by vectors.

An item is identified by its place in a sequence. `Postings` holds the words of all items with their
weights; the rarer a query's word is, the more it is worth (BM25). Vectors are compared by cosine,
in 8-bit numbers. `merge` combines the results of words and vectors in one ranking. Everything packs
into bytes for Firestore (little-endian, as on each machine that runs functions), and is plain
Python, so no process waits for an import.
"""

from __future__ import annotations

import math
import zlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nlargest
from operator import mul
from statistics import mean
from typing import TYPE_CHECKING, Literal, Self, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison

FULL_WEIGHT = 255
"""A word's greatest weight in an item: 1, as a byte."""
_MARK = b"rollcall index 2\n"
_LENGTH = 4
_FULL_NUMBER = 127

K = TypeVar("K", bound="SupportsRichComparison")


def rarity(count: int, size: int) -> float:
    """Return a word's worth in a query, above 0, by the number of items that have it (BM25)."""
    return math.log(1 + (size - count + 0.5) / (count + 0.5))


def saturated(times: float, relative_length: float = 1.0, *, k: float, b: float = 0.0) -> float:
    """Return a word's weight in an item, 0..1, by how often it occurs there (BM25).

    Args:
        relative_length: The item's length divided by the usual one.
        k: The number of occurrences that weighs one half.
        b: How strongly the length lowers the weight, 0..1.
    """
    return times / (times + k * (1 - b + b * relative_length))


def field_weights(
    items: Sequence[Mapping[str, Counter[str]]],
    fields: Mapping[str, tuple[float, float]],
    *,
    k: float,
) -> list[dict[str, float]]:
    """Return each word's weight in each item, 0..1, by the fields that have it (BM25F).

    Args:
        items: The number of occurrences of each word in each field.
        fields: By field, how much a word counts there, and how strongly the field's length lowers
            that, 0..1.
        k: The number of occurrences that weighs one half.
    """
    lengths = {name: [item[name].total() for item in items] for name in fields}
    usual = {name: mean(filter(None, some)) if any(some) else 1.0 for name, some in lengths.items()}
    weights = []
    for item in items:
        times: dict[str, float] = {}
        for name, (boost, damping) in fields.items():
            length = 1 - damping + damping * item[name].total() / usual[name]
            for word, count in item[name].items():
                times[word] = times.get(word, 0.0) + boost * count / length
        weights.append({word: saturated(n, k=k) for word, n in times.items()})
    return weights


class Postings(Struct, frozen=True):
    """The items of each word. Immutable; any number of threads may search it.

    Attributes:
        size: How many items there are.
        words: The words, ascending.
        starts: The index in `places` where each word's items begin, and at last their end.
        places: The items that have each word, ascending.
        weights: The word's weight in each of these items, 1..FULL_WEIGHT.
    """

    size: int
    words: list[str]
    starts: array[int]
    places: array[int]
    weights: bytes

    def __post_init__(self) -> None:
        """Check that the columns are consistent.

        Raises:
            ValueError: They do not.
        """
        whole = (
            len(self.starts) == len(self.words) + 1
            and self.starts[-1] == len(self.places) == len(self.weights)
            and max(self.places, default=-1) < self.size
        )
        if not whole:
            raise ValueError("a damaged index: its columns do not belong together")

    @classmethod
    def build(cls, items: Sequence[Mapping[str, float]]) -> Self:
        """Index items; each maps its words to their weights, 0..1."""
        by_word: dict[str, list[tuple[int, int]]] = {}
        for place, item in enumerate(items):
            for word, weight in item.items():
                byte = max(1, round(FULL_WEIGHT * weight))
                by_word.setdefault(word, []).append((place, byte))
        words = sorted(by_word)
        starts, places, weights = array("I", [0]), array("I"), bytearray()
        for word in words:
            places.extend(place for place, _ in by_word[word])
            weights.extend(weight for _, weight in by_word[word])
            starts.append(len(places))
        return cls(len(items), words, starts, places, bytes(weights))

    def number(self, word: str) -> int | None:
        """Return a word's index in `words`; None if no item has it."""
        at = bisect_left(self.words, word)
        return at if at < len(self.words) and self.words[at] == word else None

    def places_of(self, word: str) -> array[int]:
        """Return the items that have a word, ascending."""
        at = self.number(word)
        return array("I") if at is None else self.places[self.starts[at] : self.starts[at + 1]]

    def count(self, word: str) -> int:
        """Return the number of items that have a word."""
        return len(self.places_of(word))

    def scores(self, worths: Mapping[str, float]) -> dict[int, float]:
        """Return the score of each item that has one of the words: the sum of worth times weight.

        Args:
            worths: The worth of each word, above 0.
        """
        numbers = ((self.number(word), worth) for word, worth in worths.items())
        return self.scores_of({number: worth for number, worth in numbers if number is not None})

    def scores_of(self, worths: Mapping[int, float]) -> dict[int, float]:
        """Return the scores as `scores` does, for words by their index."""
        scores: dict[int, float] = {}
        known, starts, places, weights = scores.get, self.starts, self.places, self.weights
        for number, worth in worths.items():
            first, last, worth = starts[number], starts[number + 1], worth / FULL_WEIGHT
            for place, weight in zip(places[first:last], weights[first:last]):  # noqa: B905
                scores[place] = known(place, 0.0) + worth * weight
        return scores

    def dump(self, kind: Literal["H", "I"] = "I") -> list[bytes]:
        """Return the words, starts, places and weights as bytes, the same for the same items.

        Args:
            kind: The width of a place in bytes: "H" for 2 and "I" for 4.
        """
        return [
            "\n".join(self.words).encode(),
            array("I", self.starts).tobytes(),
            array(kind, self.places).tobytes(),
            self.weights,
        ]

    @classmethod
    def load(cls, size: int, sections: Sequence[bytes], kind: Literal["H", "I"] = "I") -> Self:
        """Return the postings from the bytes that `dump` made.

        Raises:
            ValueError: The bytes are damaged.
        """
        words, starts, places, weights = sections
        known = words.decode().split("\n") if words else []
        return cls(size, known, array("I", starts), array(kind, places), weights)


def best(scores: Mapping[K, float], limit: int) -> list[tuple[K, float]]:
    """Return the best `limit` items with their scores; of equal scores the lesser item is first."""
    # Few items reach the least of the best scores, and only they have to be sorted.
    least = min(nlargest(limit, scores.values()), default=0.0)
    candidates = [item for item in scores.items() if item[1] >= least]
    return sorted(candidates, key=lambda item: (-item[1], item[0]))[:limit]


def merge(
    words: Sequence[tuple[K, float]], near: Sequence[tuple[K, float]], *, meaning: float
) -> dict[K, float]:
    """Return the score, 0..1, of each item that words or vectors find.

    An item counts by its score relative to the best one, and by how much nearer it is than the
    last. Ranks alone would make the tenth item nearly as good as the first, however far behind, and
    cosines cannot be compared with those of another embedder or with scores.

    Args:
        words: Items with their scores, above 0, best first.
        near: Items with their cosines, nearest first.
        meaning: The weight of the nearest item, where the best one by words has 1.
    """
    scores = {item: score / words[0][1] for item, score in words}
    for item, cosine in near:
        least, most = near[-1][1], near[0][1]
        nearness = (cosine - least) / (most - least) if most > least else 1.0
        scores[item] = scores.get(item, 0.0) + meaning * nearness
    return {item: score / (1 + meaning) for item, score in scores.items()}


def quantized(vector: Sequence[float]) -> tuple[float, array[int]]:
    """Return a scale and 8-bit numbers; the numbers times the scale are the vector at length 1.

    The scale is 0 for a vector of zeros, or with a number that is not finite.
    """
    most = max(map(abs, vector), default=0.0)
    if not most or not math.isfinite(sum(vector)):
        return 0.0, array("b", bytes(len(vector)))
    small = array("b", [round(value / most * _FULL_NUMBER) for value in vector])
    return 1 / math.sqrt(sum(map(mul, small, small))), small


def pack_sections(sections: Sequence[bytes]) -> bytes:
    """Return sections as one compressed block; the same sections give the same bytes."""
    body = b"".join(len(part).to_bytes(_LENGTH, "little") + part for part in sections)
    return _MARK + zlib.compress(body, 6)


def unpack_sections(data: bytes, *counts: int) -> list[bytes]:
    """Return the sections of a block, of which there are as many as one of `counts`.

    Raises:
        ValueError: The bytes are damaged, or not a block of this version.
    """
    if not data.startswith(_MARK):
        raise ValueError(f"not an index of this version: it begins with {data[:20]!r}")
    inflate = zlib.decompressobj()
    try:
        body = inflate.decompress(data[len(_MARK) :])
    except zlib.error as error:
        raise ValueError(f"a damaged index: {error}") from error
    if not inflate.eof or inflate.unused_data:
        raise ValueError("a damaged index: it is cut off, or goes on after its end")
    sections = []
    start = 0
    while start < len(body):
        end = start + _LENGTH + int.from_bytes(body[start : start + _LENGTH], "little")
        sections.append(body[start + _LENGTH : end])
        start = end
    if start != len(body) or len(sections) not in counts:
        raise ValueError(f"a damaged index: {len(sections)} sections instead of {counts[0]}")
    return sections
