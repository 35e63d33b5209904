"""The word search over tools: an index that packs into bytes, in plain Python.

A message scores a tool by the sum of `rarity * weight` over its words, where the weights are made
when the index is built (`weighing`), and over the words that are written like them (`likeness`),
which count less. What frequent words cost is in `postings`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Self

from msgspec import Struct

from rollcall.core import packing
from rollcall.core.postings import Postings
from rollcall.registry import weighing, wording
from rollcall.registry.likeness import Likeness
from rollcall.registry.weighing import FULL, Searchable

__all__ = ["Index", "Match", "Searchable"]

# What a word written alike counts of the word itself.
_ALIKE = 0.7
# A word that more tools have finds enough by itself; looking for words like it costs a third more.
_COMMON = 40
# Values are whole numbers: a rarity of 1 is so many.
_ONE = 1_000
# What so many words are worth is kept.
_KEPT = 4_096


class Match(Struct, frozen=True):
    """A tool found.

    Attributes:
        place: Its position in the sequence the index was built from.
        score: Ranks the matches of one query; no unit.
        fit: How strongly the message itself speaks for this tool, 0..1, comparable between
            messages: 0.5 is as much as one word that is this tool's alone and its very name,
            0.67 as much as two of them. The thread's earlier messages do not count.
        share: How much of what the message itself says this tool answers, 0..1: also of one that
            says little, in words that many tools have.
    """

    place: int
    score: float
    fit: float
    share: float = 0.0


class Index:
    """Tools by the words that find them. Any number of threads may search it."""

    def __init__(
        self,
        words: Sequence[str],
        postings: Postings,
        likeness: Likeness,
        near: tuple[array[int], array[int], bytes],
    ) -> None:
        """Take the words, by number their tools, and the numbers of those written like each.

        Args:
            near: Where each word's like words begin in the next, and after the last their end; the
                words written like another; how like each of these is, 1..FULL.
        """
        self._words, self._postings, self._near = words, postings, near
        self._numbers = {word: number for number, word in enumerate(words)}
        counts = [postings.count(number) for number in range(len(words))]
        rarities = {count: _rarity(count, postings.size) for count in set(counts)}
        self._rarities = [rarities[count] for count in counts]
        self._unknown_rarity = _rarity(0, postings.size)
        self._like = lru_cache(maxsize=_KEPT)(likeness.near)
        self._met_by = lru_cache(maxsize=_KEPT)(self._meeting)

    @classmethod
    def build(cls, tools: Sequence[Searchable]) -> Self:
        """Index tools; a match's `place` counts in their order."""
        found = weighing.postings(tools)
        words = sorted(found)
        postings = Postings.of(len(tools), (found[word] for word in words))
        likeness = Likeness(words)
        starts, near, alike = array("I", [0]), array("I"), bytearray()
        for word in words:
            for number, likeliness in likeness.near(word):
                near.append(number)
                alike.append(round(FULL * likeliness))
            starts.append(len(near))
        return cls(words, postings, likeness, (starts, near, bytes(alike)))

    def dump(self) -> bytes:
        """Return the index as compressed bytes, the same for the same tools."""
        postings = self._postings
        starts, near, alike = self._near
        return packing.pack(
            [
                packing.numbers("I", [postings.size]),
                "\n".join(self._words).encode(),
                packing.numbers("I", postings.starts),
                packing.numbers("I", postings.places),
                postings.weights,
                postings.peaks,
                packing.numbers("I", starts),
                packing.numbers("I", near),
                alike,
            ]
        )

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Return the index that `dump` made bytes of.

        Raises:
            ValueError: The bytes are damaged, or an index of another version.
        """
        size, text, starts, places, weights, peaks, *like = packing.unpack(data, 9)
        words = text.decode().split("\n") if text else []
        postings = Postings(
            int.from_bytes(size, "little"),
            packing.column("I", starts),
            packing.column("I", places),
            weights,
            peaks,
        )
        near = (packing.column("I", like[0]), packing.column("I", like[1]), like[2])
        whole = (
            len(words) == len(peaks) == len(near[0]) - 1
            and near[0][-1] == len(near[1]) == len(near[2])
            and max(near[1], default=-1) < len(words)
        )
        if not whole:
            raise ValueError("a damaged index: its words do not belong together")
        index = cls(words, postings, Likeness(words), near)
        postings.warm([math.ceil(_ONE * rarity) for rarity in index._rarities])
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
        size = self._postings.size
        if allowed is not None and len(allowed) != size:
            raise ValueError(f"allowed has {len(allowed)} places, the index {size}")
        if limit < 1:
            return []
        asked = wording.asked(text)
        values = self._values({**wording.mentioned(context), **asked})
        best = self._postings.best(values, limit, allowed)
        own = self._values(asked) if context else values
        most = self._most(asked)
        matches = []
        for place, score in best:
            met = (self._postings.score(own, place) if context else score) / (_ONE * FULL)
            share = min(met / most, 1.0) if most else 0.0
            matches.append(Match(place, score / (_ONE * FULL), self._fit(met), share))
        return matches

    def _values(self, asked: Mapping[str, float]) -> dict[int, int]:
        """What each word that could be met is worth, by number."""
        values: dict[int, float] = {}
        for said in asked.items():
            for number, value in self._met_by(said):
                values[number] = values.get(number, 0.0) + value
        return {number: math.ceil(_ONE * value) for number, value in values.items()}

    def _meeting(self, said: tuple[str, float]) -> list[tuple[int, float]]:
        """The words, by number, that meet a word said which counts so much, and their worth."""
        word, counts = said
        number = self._numbers.get(word)
        if number is None:
            rarity, alike = self._unknown_rarity, self._like(word)
            found = []
        else:
            rarity = self._rarities[number]
            found = [(number, counts * rarity)]
            if self._postings.count(number) > _COMMON:
                return found
            alike = self._alike(number)
        for other, likeness in alike:
            value = counts * _ALIKE * likeness * min(rarity, self._rarities[other])
            found.append((other, value))
        return found

    def _alike(self, number: int) -> list[tuple[int, float]]:
        """The words written like a known word, with how like they are."""
        starts, near, alike = self._near
        places = range(starts[number], starts[number + 1])
        return [(near[at], alike[at] / FULL) for at in places]

    def _most(self, asked: Mapping[str, float]) -> float:
        """What a tool scores that has every word, as its very name."""
        known, unknown = self._numbers.get, self._unknown_rarity
        numbers = ((known(word), counts) for word, counts in asked.items())
        return sum(
            counts * (unknown if number is None else self._rarities[number])
            for number, counts in numbers
        )

    def _fit(self, met: float) -> float:
        """Of a score, how much it is beside that of one word that is no other tool's."""
        return met / (met + self._unknown_rarity)


def _rarity(count: int, size: int) -> float:
    return math.log(1 + (size - count + 0.5) / (count + 0.5))
