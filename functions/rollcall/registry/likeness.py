"""Words that are written alike, by the three-letter pieces they share.

"Investor" finds "invest", a typing error finds the word that was meant, in any alphabet. Alike is
2 x shared pieces / pieces of both (Dice), from `_LEAST` up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

_LEAST = 0.4
_MOST_ALIKE = 3
_LONGEST = 40


class Likeness:
    """The words of a vocabulary by their pieces."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._holders: dict[str, list[int]] = {}
        self._sizes = []
        for number, word in enumerate(vocabulary):
            pieces = _pieces(word)
            self._sizes.append(len(pieces))
            for piece in pieces:
                self._holders.setdefault(piece, []).append(number)

    def near(self, word: str) -> list[tuple[int, float]]:
        """Return the few words most like another, by number, with how alike they are, below 1.

        What has digits in it is like nothing else: 2023 is not 2024.
        """
        if not word.isalpha():
            return []
        pieces = _pieces(word)
        own = len(pieces)
        shared = Counter(chain.from_iterable(self._holders.get(piece, ()) for piece in pieces))
        # Whoever shares fewer is too unlike at any length.
        fewest = _LEAST * (own + 1) / 2
        found = [
            (number, 2 * count / (own + self._sizes[number]))
            for number, count in shared.items()
            if count >= fewest
        ]
        alike = [each for each in found if _LEAST <= each[1] < 1]
        return sorted(alike, key=lambda each: (-each[1], each[0]))[:_MOST_ALIKE]


def _pieces(word: str) -> set[str]:
    padded = f"^{word[:_LONGEST]}$"
    return {padded[start : start + 3] for start in range(len(padded) - 2)}
