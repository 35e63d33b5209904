"""Search over items (tools, passages, messages, articles) by their words and by vectors.

Items are counted by their place in a sequence. `Postings` has the words of all items with how much
each weighs there; a query's words are worth the more the rarer they are (BM25). Vectors are
compared by cosine, in 8-bit numbers. `merge` makes one ranking of what words and vectors find. All
of it packs into bytes that rest in Firestore, and is plain Python: no process waits for an import.
"""

from __future__ import annotations

import math
import sys
import zlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from operator import mul
from statistics import mean
from typing import TYPE_CHECKING, Literal, Self, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison

FULL_WEIGHT = 255
"""What a word weighs in an item at most: a weight of 1, as a byte."""
_MARK = b"rollcall index 2\n"
_LENGTH = 4
_FULL_NUMBER = 127

K = TypeVar("K", bound="SupportsRichComparison")


def rarity(count: int, size: int) -> float:
    """Return what a word is worth in a query, above 0: BM25, by how many items have it."""
    return math.log(1 + (size - count + 0.5) / (count + 0.5))


def saturated(times: float, relative_length: float = 1.0, *, k: float, b: float = 0.0) -> float:
    """Return what a word weighs in an item, 0..1, by how often it is there (BM25).

    Args:
        relative_length: The item's length beside the usual one.
        k: So many times weigh half.
        b: How far the length damps, 0..1.
    """
    return times / (times + k * (1 - b + b * relative_length))


def field_weights(
    items: Sequence[Mapping[str, Counter[str]]],
    fields: Mapping[str, tuple[float, float]],
    *,
    k: float,
) -> list[dict[str, float]]:
    """Return what each word weighs in each item, 0..1, by the fields it stands in (BM25F).

    Args:
        items: How often each word stands in each field.
        fields: How much a word counts in a field, and how far the field's length damps it, 0..1.
        k: So many times weigh half.
    """
    lengths = {name: [item[name].total() for item in items] for name in fields}
    usual = {
        name: mean(filter(None, found)) if any(found) else 1.0 for name, found in lengths.items()
    }
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
        starts: Where each word's items begin in `places`, and after the last word their end.
        places: The items that have each word, ascending.
        weights: How much the word weighs in each of these, 1..FULL_WEIGHT.
    """

    size: int
    words: list[str]
    starts: array[int]
    places: array[int]
    weights: bytes

    def __post_init__(self) -> None:
        """Refuse columns that do not belong together.

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
        """Index items, each given as its words with their weights, 0..1."""
        found: dict[str, list[tuple[int, int]]] = {}
        for place, item in enumerate(items):
            for word, weight in item.items():
                byte = max(1, round(FULL_WEIGHT * weight))
                found.setdefault(word, []).append((place, byte))
        words = sorted(found)
        starts, places, weights = array("I", [0]), array("I"), bytearray()
        for word in words:
            places.extend(place for place, _ in found[word])
            weights.extend(weight for _, weight in found[word])
            starts.append(len(places))
        return cls(len(items), words, starts, places, bytes(weights))

    def number(self, word: str) -> int | None:
        """Return a word's place in `words`; None if no item has it."""
        at = bisect_left(self.words, word)
        return at if at < len(self.words) and self.words[at] == word else None

    def places_of(self, word: str) -> array[int]:
        """Return the items that have a word, ascending."""
        at = self.number(word)
        return array("I") if at is None else self.places[self.starts[at] : self.starts[at + 1]]

    def count(self, word: str) -> int:
        """Return how many items have a word."""
        at = self.number(word)
        return 0 if at is None else self.starts[at + 1] - self.starts[at]

    def scores(self, worths: Mapping[str, float]) -> dict[int, float]:
        """Return the score of each item that has one of the words: worth times weight, added up.

        Args:
            worths: What each word is worth, above 0.
        """
        numbers = ((self.number(word), worth) for word, worth in worths.items())
        return self.scores_of({number: worth for number, worth in numbers if number is not None})

    def scores_of(self, worths: Mapping[int, float]) -> dict[int, float]:
        """Return what `scores` does, for words by their numbers."""
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
            pack_array("I", self.starts),
            pack_array(kind, self.places),
            self.weights,
        ]

    @classmethod
    def load(cls, size: int, sections: Sequence[bytes], kind: Literal["H", "I"] = "I") -> Self:
        """Return the postings that `dump` made bytes of.

        Raises:
            ValueError: The bytes are damaged.
        """
        words, starts, places, weights = sections
        known = words.decode().split("\n") if words else []
        return cls(size, known, unpack_array("I", starts), unpack_array(kind, places), weights)


def best(scores: Mapping[K, float], limit: int) -> list[tuple[K, float]]:
    """Return the best `limit` items with their scores; of one score the lesser item comes first."""
    # Few reach the last of the best scores, and only they have to be put in order.
    least = min(nlargest(limit, scores.values()), default=0.0)
    found = [item for item in scores.items() if item[1] >= least]
    return sorted(found, key=lambda item: (-item[1], item[0]))[:limit]


def merge(
    words: Sequence[tuple[K, float]], near: Sequence[tuple[K, float]], *, meaning: float
) -> dict[K, float]:
    """Return the score, 0..1, of each item that words or vectors find.

    An item counts by its score beside the best one's, and by how much nearer it is than the last.
    Ranks alone would make the tenth nearly as good as the first, however far behind, and cosines of
    one embedder say nothing beside those of another, nor beside scores.

    Args:
        words: Items with their scores, above 0, best first.
        near: Items with their cosines, nearest first.
        meaning: What the nearest counts of what the best by words does.
    """
    scores = {item: score / words[0][1] for item, score in words}
    for item, cosine in near:
        least, most = near[-1][1], near[0][1]
        nearness = (cosine - least) / (most - least) if most > least else 1.0
        scores[item] = scores.get(item, 0.0) + meaning * nearness
    return {item: score / (1 + meaning) for item, score in scores.items()}


def quantized(vector: Sequence[float]) -> tuple[float, array[int]]:
    """Return a scale and 8-bit numbers, which times the scale are the vector brought to length 1.

    A vector of zeros, or with a number that is not finite, has the scale 0.
    """
    most = max(map(abs, vector), default=0.0)
    if not most or not math.isfinite(sum(vector)):
        return 0.0, array("b", bytes(len(vector)))
    small = array("b", [round(value / most * _FULL_NUMBER) for value in vector])
    return 1 / math.sqrt(sum(map(mul, small, small))), small


def pack_sections(sections: Sequence[bytes]) -> bytes:
    """Return one compressed block out of sections; the same sections give the same bytes."""
    body = b"".join(len(part).to_bytes(_LENGTH, "little") + part for part in sections)
    return _MARK + zlib.compress(body, 6)


def unpack_sections(data: bytes, count: int) -> list[bytes]:
    """Return the `count` sections of a block.

    Raises:
        ValueError: The bytes are damaged, or no block of this version.
    """
    if not data.startswith(_MARK):
        raise ValueError(f"no index of this version: it begins with {data[:20]!r}")
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
    if start != len(body) or len(sections) != count:
        raise ValueError(f"a damaged index: {len(sections)} sections instead of {count}")
    return sections


def pack_array(kind: str, values: Iterable[int] | Iterable[float]) -> bytes:
    """Return an array's bytes, lowest byte first on every machine."""
    found = array(kind, values)
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def unpack_array(kind: str, data: bytes) -> array[int]:
    """Return the array that `pack_array` made bytes of.

    Raises:
        ValueError: The bytes are no whole number of items.
    """
    found: array[int] = array(kind)
    found.frombytes(data)
    if sys.byteorder == "big":
        found.byteswap()
    return found
