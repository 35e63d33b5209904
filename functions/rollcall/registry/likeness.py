"""Words that are written alike, by the three-letter pieces they share.

"Investor" finds "invest", a typing error finds the word that was meant, in any alphabet. Alike is
2 x shared pieces / pieces of both (Dice), from `_LEAST` up.

A set of words is a whole number with a bit for each. How many pieces every word shares is a number
in binary, a set of words for each of its digits: so one addition counts all words at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import ceil
from operator import or_

_LEAST = 0.4
_MOST_ALIKE = 3
_LONGEST = 40
# So many bytes of sets are kept, and sets of so few words are not worth filling bytes for.
_KEPT = 4 << 20
_FEW = 6


class Likeness:
    """The words of a vocabulary by their pieces. Any number of threads may ask."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._holders: dict[str, list[int]] = {}
        self._sizes = []
        of_size: list[list[int]] = [[] for _ in range(_LONGEST + 1)]
        for number, word in enumerate(vocabulary):
            pieces = _pieces(word)
            self._sizes.append(len(pieces))
            of_size[len(pieces)].append(number)
            for piece in pieces:
                self._holders.setdefault(piece, []).append(number)
        self._up_to_size = list(accumulate(map(_set_of, of_size), or_))
        kept = _KEPT // (len(vocabulary) // 8 + 1)
        self._having = lru_cache(maxsize=kept)(self._set_having)

    def near(self, word: str) -> list[tuple[int, float]]:
        """Return the few words most like another, by number, with how alike they are, below 1.

        What has digits in it is like nothing else: 2023 is not 2024.
        """
        if not word.isalpha():
            return []
        pieces = _pieces(word)
        own = len(pieces)
        digits = _counted(self._having(piece) for piece in pieces if piece in self._holders)
        found: list[tuple[float, int]] = []
        # Whoever shares fewer is too unlike at any length.
        fewest = ceil(_LEAST * (own + 1) / 2)
        for shared in range((1 << len(digits)) - 1, fewest - 1, -1):
            if len(found) >= _MOST_ALIKE and found[-1][0] < -2 * shared / (own + shared):
                break
            longest = min(ceil(2 * shared / _LEAST) - own, _LONGEST)
            for number in _members(_with_count(digits, shared) & self._up_to_size[longest]):
                alike = 2 * shared / (own + self._sizes[number])
                if _LEAST <= alike < 1:
                    found.append((-alike, number))
            found = sorted(found)[:_MOST_ALIKE]
        return [(number, -unlike) for unlike, number in found]

    def _set_having(self, piece: str) -> int:
        return _set_of(self._holders[piece])


def _pieces(word: str) -> set[str]:
    padded = f"^{word[:_LONGEST]}$"
    return {padded[start : start + 3] for start in range(len(padded) - 2)}


def _counted(sets: Iterable[int]) -> list[int]:
    """In how many of the sets each member is: the set of those with each binary digit, the lowest
    first."""
    digits: list[int] = []
    for carry in sets:
        for at, digit in enumerate(digits):
            digits[at], carry = digit ^ carry, digit & carry
        if carry:
            digits.append(carry)
    return digits


def _with_count(digits: Sequence[int], count: int) -> int:
    """The members that were counted so often, above 0."""
    found = -1
    for at in reversed(range(len(digits))):
        found &= digits[at] if count >> at & 1 else ~digits[at]
        if not found:
            break
    return found


def _set_of(numbers: Sequence[int]) -> int:
    """A set of ascending numbers."""
    if len(numbers) < _FEW:
        return sum(1 << number for number in numbers)
    bits = bytearray(numbers[-1] // 8 + 1)
    for number in numbers:
        bits[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")


def _members(members: int) -> Iterator[int]:
    while members:
        last = members.bit_length() - 1
        yield last
        members ^= 1 << last
