"""Which items (tools, passages) have each word, and the best of them for words of given values.

An item's score is the sum of `value * weight` over the words. Words that say much of few items are
read first; once those still to come can lift no new item into the best, they are only looked up for
the items already found (MaxScore: the answer stays exact). What may not be found is dropped before
that bound is taken, so that a narrow permission costs no more than a wide one. Values are whole
numbers, so that sums are exact in any order.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import nlargest

# A word in more items than this is looked up in a list of all items, a byte each; so many bytes of
# such lists are kept.
_FREQUENT = 128
_KEPT = 8 << 20


class Postings:
    """The items of each word.

    Attributes:
        starts: Where each word's items begin in `places`, and after the last word their end.
        places: The items that have each word, ascending.
        weights: How much the word weighs in each of these, 1..255.
        peaks: The greatest of each word's weights.
    """

    def __init__(
        self, size: int, starts: array[int], places: array[int], weights: bytes, peaks: bytes
    ) -> None:
        """Take the columns.

        Raises:
            ValueError: They do not belong together.
        """
        whole = (
            len(starts) == len(peaks) + 1
            and starts[-1] == len(places) == len(weights)
            and max(places, default=-1) < size
        )
        if not whole:
            raise ValueError("a damaged index: its columns do not belong together")
        self.size = size
        self.starts, self.places, self.weights, self.peaks = starts, places, weights, peaks
        self._spread = lru_cache(maxsize=_KEPT // max(size, 1))(self._spread_out)

    @classmethod
    def of(cls, size: int, items: Iterable[Sequence[tuple[int, int]]]) -> Postings:
        """Take each word's items, by place, with its weight in each."""
        starts, places = array("I", [0]), array("I")
        weights, peaks = bytearray(), bytearray()
        for found in items:
            places.extend(place for place, _ in found)
            weights.extend(weight for _, weight in found)
            peaks.append(max(weight for _, weight in found))
            starts.append(len(places))
        return cls(size, starts, places, bytes(weights), bytes(peaks))

    def count(self, word: int) -> int:
        """Return how many items have a word."""
        return self.starts[word + 1] - self.starts[word]

    def best(
        self, values: Mapping[int, int], limit: int, allowed: bytes | bytearray | None
    ) -> list[tuple[int, int]]:
        """Return the best `limit` places with their scores; of one score the earlier comes first.

        Args:
            values: What each word is worth, above 0.
            allowed: By place, true where the item may be found; None allows all.
        """
        order = self._order(values)
        # What the words still to come can add at most.
        left = sum(most for _, most, _ in order)
        scores: dict[int, int] = {}
        floor = news = 0
        for done, (word, most, value) in enumerate(order):
            # Finding the floor costs about as much as reading half as many items.
            if floor <= left and news > len(scores) / 2:
                scores = _only(scores, allowed)
                floor = _nth_best(scores.values(), limit)
                news = 0
            if floor > left:
                scores = _only(scores, allowed)
                return _first(self._looked_up(scores, floor, left, order[done:]), limit)
            self._read(word, value, scores)
            news += self.count(word)
            left -= most
        return _first(list(_only(scores, allowed).items()), limit)

    def score(self, values: Mapping[int, int], place: int) -> int:
        """Return the score of one item."""
        score = 0
        for word, value in values.items():
            last = self.starts[word + 1]
            at = bisect_left(self.places, place, self.starts[word], last)
            if at < last and self.places[at] == place:
                score += value * self.weights[at]
        return score

    def _order(self, values: Mapping[int, int]) -> list[tuple[int, int, int]]:
        """Each word with what it can add at most and its value; those first that say much of few
        items."""
        order = [(word, value * self.peaks[word], value) for word, value in values.items()]
        return sorted(order, key=lambda each: (self.count(each[0]) / each[1], each[0]))

    def _read(self, word: int, value: int, scores: dict[int, int]) -> None:
        """Add what a word gives to every item that has it."""
        known = scores.get
        for place, weight in self._items(word):
            scores[place] = known(place, 0) + value * weight

    def _looked_up(
        self,
        scores: Mapping[int, int],
        floor: int,
        left: int,
        order: Sequence[tuple[int, int, int]],
    ) -> list[tuple[int, int]]:
        """The places already found that can still be among the best, with the scores that the other
        words bring them to."""
        found = scores
        for word, most, value in sorted(order, key=lambda each: -each[1]):
            least = floor - left
            if least > 0:
                found = {place: score for place, score in found.items() if score >= least}
            if self.count(word) > _FREQUENT:
                spread = self._spread(word)
                found = {place: score + value * spread[place] for place, score in found.items()}
            else:
                weight = dict(self._items(word)).get
                found = {place: score + value * weight(place, 0) for place, score in found.items()}
            left -= most
        return list(found.items())

    def _items(self, word: int) -> Iterator[tuple[int, int]]:
        """The items that have a word, with its weight in each."""
        first, last = self.starts[word], self.starts[word + 1]
        return zip(self.places[first:last], self.weights[first:last], strict=True)

    def _spread_out(self, word: int) -> bytearray:
        """A word's weight in every item, by place."""
        weights = bytearray(self.size)
        for place, weight in self._items(word):
            weights[place] = weight
        return weights


def _only(scores: dict[int, int], allowed: bytes | bytearray | None) -> dict[int, int]:
    if allowed is None:
        return scores
    return {place: score for place, score in scores.items() if allowed[place]}


def _nth_best(scores: Collection[int], limit: int) -> int:
    return nlargest(limit, scores)[-1] if limit <= len(scores) else 0


def _first(found: Sequence[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    floor = _nth_best([score for _, score in found], limit)
    kept = sorted((-score, place) for place, score in found if score >= floor)
    return [(place, -score) for score, place in kept[:limit]]
