"""Which items (tools, passages) have each word, and the best of them for words of given values.

An item's score is the sum of `value * weight` over the words; values are whole numbers, so that
sums are exact in any order. The items of rare words are read one by one. Of frequent words it is
first known only how much they add at most: a byte an item, in units, rounded up. The bytes of a
word are one whole number, so that one addition adds it to all items at once. Only the items that
can be among the best by that are then scored exactly, so that the answer is exact.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import repeat
from operator import rshift

# A word is frequent that more than these many items have, and more than this share of them.
_RARE, _RARE_SHARE = 32, 1 / 64
# One that was made ready costs a tenth, so words that more than this share have are, in a unit in
# which so many of the heaviest fit into a byte together.
_READY_SHARE, _TOGETHER = 1 / 128, 4
# Rounding up costs a unit a word: with more frequent words than this, all are read one by one.
_MOST_FREQUENT = 100
# A floor that more items reach than this many times what is asked for is worth raising.
_FEW = 8
_BYTES = bytes(range(256))
_ALL_BITS = b"\0".ljust(256, b"\xff")
# So many bytes are kept of frequent words' weights by place, and as many of what they add at most.
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
        self._frequent = max(_RARE, int(size * _RARE_SHARE))
        self._ready: frozenset[tuple[int, int]] = frozenset()
        self._ready_shift = 0
        self._spread = lru_cache(maxsize=_KEPT // max(size, 1))(self._spread_out)
        self._most = lru_cache(maxsize=_KEPT // max(size, 1))(self._most_of)

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

    def warm(self, values: Sequence[int]) -> None:
        """Make ready what frequent words of these values, by word, add to every item, so that no
        search has to wait for it. Call it before any search."""
        least = max(_RARE, int(self.size * _READY_SHARE))
        ready = [(word, value) for word, value in enumerate(values) if self.count(word) > least]
        most = max((value * self.peaks[word] for word, value in ready), default=0)
        self._ready, self._ready_shift = frozenset(ready), (_TOGETHER * most // 256).bit_length()
        for word, value in ready:
            self._most(word, value, self._ready_shift)

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
        frequent, rare = self._parted(values)
        added, unit = self._added(frequent, allowed)
        bounds = self._read(rare, added, unit, allowed)
        # Each bound is less than a unit too high for every frequent word.
        slack = len(frequent) * unit
        floor = _nth_best(bounds.values(), limit) - slack
        if levels := added.translate(None, _BYTES[: max(floor // unit, 1)]):
            floor = max(floor, _nth_level(levels, limit) * unit - slack)
            for place in _reaching(added, max(floor // unit, 1)):
                bounds.setdefault(place, added[place] * unit)
        found = sorted([(-bound, place) for place, bound in bounds.items() if bound >= floor])
        if frequent:
            found = self._exact(found, frequent, added, unit, limit)
        return [(place, -score) for score, place in found[:limit]]

    def score(self, values: Mapping[int, int], place: int) -> int:
        """Return the score of one item."""
        score = 0
        for word, value in values.items():
            last = self.starts[word + 1]
            at = bisect_left(self.places, place, self.starts[word], last)
            if at < last and self.places[at] == place:
                score += value * self.weights[at]
        return score

    def _parted(
        self, values: Mapping[int, int]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The words to add up for all items at once, and those to read one by one."""
        frequent: list[tuple[int, int]] = []
        ready: list[tuple[int, int]] = []
        rare: list[tuple[int, int]] = []
        for said in values.items():
            if self.count(said[0]) > self._frequent:
                frequent.append(said)
            elif said in self._ready:
                ready.append(said)
            else:
                rare.append(said)
        # In a coarser unit than theirs, ready words are not ready.
        if len(frequent) + len(ready) <= _MOST_FREQUENT:
            both = [*frequent, *ready]
            if self._shift(both) == self._ready_shift:
                return both, rare
        if len(frequent) > _MOST_FREQUENT:
            return [], [*rare, *ready, *frequent]
        return frequent, [*rare, *ready]

    def _shift(self, frequent: Sequence[tuple[int, int]]) -> int:
        """The unit, as a power of 2, in which all that these words add fits into a byte, rounded up
        for each: the smallest, or the one that words are ready in."""
        most = sum([value * self.peaks[word] for word, value in frequent])
        return max((most // (256 - len(frequent))).bit_length(), self._ready_shift)

    def _added(
        self, frequent: Sequence[tuple[int, int]], allowed: bytes | bytearray | None
    ) -> tuple[bytes, int]:
        """What frequent words of these values add to every item at most, by place, and the unit
        that it is in; nothing to an item that is not allowed."""
        if not frequent:
            return bytes(self.size), 1
        shift = self._shift(frequent)
        total = sum(self._most(word, value, shift) for word, value in frequent)
        if allowed is not None:
            total &= int.from_bytes(allowed.translate(_ALL_BITS), "little")
        return total.to_bytes(self.size, "little"), 1 << shift

    def _read(
        self,
        words: Iterable[tuple[int, int]],
        added: bytes,
        unit: int,
        allowed: bytes | bytearray | None,
    ) -> dict[int, int]:
        """The allowed items that some of the words have, with their scores at most."""
        starts, places, weights = self.starts, self.places, self.weights
        bounds: dict[int, int] = {}
        for word, value in words:
            first, last = starts[word], starts[word + 1]
            for place, weight in zip(places[first:last], weights[first:last], strict=True):
                if place in bounds:
                    bounds[place] += value * weight
                else:
                    bounds[place] = added[place] * unit + value * weight
        if allowed is None:
            return bounds
        return {place: bound for place, bound in bounds.items() if allowed[place]}

    def _exact(
        self,
        found: Iterable[tuple[int, int]],
        frequent: Iterable[tuple[int, int]],
        added: bytes,
        unit: int,
        limit: int,
    ) -> list[tuple[int, int]]:
        """The best of the items found with their bounds; scores and bounds are below 0, so that the
        best come first."""
        spreads = [(self._spread(word), value) for word, value in frequent]
        best: list[tuple[int, int]] = []
        for bound, place in found:
            if len(best) == limit and bound > best[-1][0]:
                break
            score = bound + added[place] * unit
            for weights, value in spreads:
                score -= value * weights[place]
            insort(best, (score, place))
            del best[limit:]
        return best

    def _spread_out(self, word: int) -> bytearray:
        """A word's weight in every item, by place."""
        first, last = self.starts[word], self.starts[word + 1]
        spread = bytearray(self.size)
        # Setting an item is never true, so `any` sets them all, at twice the speed of a loop.
        any(map(spread.__setitem__, self.places[first:last], self.weights[first:last]))
        return spread

    def _most_of(self, word: int, value: int, shift: int) -> int:
        """What a word adds to every item, rounded up to units of 1 << shift: a byte an item, all of
        them one whole number."""
        most = range((1 << shift) - 1, (1 << shift) + value * self.peaks[word], value)
        units = bytes(map(rshift, most, repeat(shift))).ljust(256, b"\0")
        return int.from_bytes(self._spread(word).translate(units), "little")


def _nth_level(levels: bytes, limit: int) -> int:
    """The level that the best `limit` of these reach, or one below that not many more do; 0 where
    there are fewer."""
    if len(levels) < limit:
        return 0
    least, most = 0, 256
    while len(levels) > _FEW * limit and most - least > 1:
        middle = (least + most) // 2
        higher = levels.translate(None, _BYTES[:middle])
        if len(higher) >= limit:
            least, levels = middle, higher
        else:
            most = middle
    return least if len(levels) > _FEW * limit else sorted(levels)[-limit]


def _reaching(added: bytes, level: int) -> Iterator[int]:
    """The places of the items that reach a level."""
    reaches = added.translate(bytes(min(level, 256)).ljust(256, b"\1"))
    place = reaches.find(1)
    while place >= 0:
        yield place
        place = reaches.find(1, place + 1)


def _nth_best(scores: Collection[int], limit: int) -> int:
    return nlargest(limit, scores)[-1] if limit <= len(scores) else 0
