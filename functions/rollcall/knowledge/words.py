"""The word index of a document: which passages have a word, and how much it weighs there.

It is cut into parts of at most `PASSAGES` passages, fewer where these have so many words of their
own (numbers, codes) that a part would not fit into a Firestore document of 1 MiB. Weights
(BM25's share of a passage) are made when a document is indexed, against a usual length and not the
collection's mean, so that they never change when other documents come and go. How rare a word is
depends on what is searched, and is reckoned by the search.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from rollcall.core import packing
from rollcall.core.postings import Postings
from rollcall.core.text import terms
from rollcall.knowledge.splitting import Piece

PASSAGES = 1_000
MOST_BYTES = 900_000
"""Of a part."""
FULL = 255
"""What a word weighs at most in a passage."""
_VERSION = 1
_USUAL_WORDS = 110
_SATURATION, _DAMPING = 1.2, 0.6
_HEADING_TIMES = 2
_LONGEST_WORD = 40


def words_of(piece: Piece) -> Counter[str]:
    """The stems of a passage; those of its headings count more."""
    found = Counter(_stems(piece.text))
    for heading in piece.headings:
        for word in _stems(heading):
            found[word] += _HEADING_TIMES
    return found


def query_words(query: str) -> list[str]:
    """The distinct stems of a question."""
    return list(dict.fromkeys(_stems(query)))


def parts(passages: Sequence[Counter[str]], *, first: int) -> Iterator[bytes]:
    """The index of passages in their order, in as few parts as fit.

    Args:
        first: The number of the first of them in its document.
    """
    data = pack(passages, first=first)
    if len(data) <= MOST_BYTES or len(passages) == 1:
        yield data
        return
    half = len(passages) // 2
    yield from parts(passages[:half], first=first)
    yield from parts(passages[half:], first=first + half)


def pack(passages: Sequence[Counter[str]], *, first: int = 0) -> bytes:
    """One part of the index, however large it is."""
    found: dict[str, list[tuple[int, int]]] = {}
    for place, words in enumerate(passages):
        for word, weight in _weights(words):
            found.setdefault(word, []).append((place, weight))
    vocabulary = sorted(found)
    postings = Postings.of(len(passages), (found[word] for word in vocabulary))
    head = {"version": _VERSION, "passages": len(passages), "first": first}
    return packing.pack(
        [
            json.dumps(head).encode(),
            "\n".join(vocabulary).encode(),
            packing.numbers("I", postings.starts),
            packing.numbers("H", postings.places),
            postings.weights,
            postings.peaks,
        ]
    )


class Hits(Struct, frozen=True):
    """The passages of a part that have a word, and the word's weight in each, 1..FULL.

    Attributes:
        first: The number in the document of the part's first passage, from which places count.
    """

    first: int
    places: array[int]
    weights: bytes


def find(data: bytes, words: Iterable[str]) -> dict[str, Hits]:
    """Look words up in a part that `pack` made.

    Raises:
        ValueError: The bytes are damaged, or a part of another version.
    """
    head, vocabulary, starts, places, weights, peaks = packing.unpack(data, 6)
    told = json.loads(head)
    if told.get("version") != _VERSION:
        raise ValueError(f"words of version {told.get('version')!r}, not {_VERSION}")
    postings = Postings(
        told["passages"],
        packing.column("I", starts),
        packing.column("H", places),
        weights,
        peaks,
    )
    known = vocabulary.decode().split("\n")
    found: dict[str, Hits] = {}
    for word in words:
        at = bisect_left(known, word)
        if at < len(known) and known[at] == word and at < len(peaks):
            first, last = postings.starts[at], postings.starts[at + 1]
            found[word] = Hits(told["first"], postings.places[first:last], weights[first:last])
    return found


def _stems(text: str) -> list[str]:
    return [word[:_LONGEST_WORD] for word in terms(text)]


def _weights(words: Counter[str]) -> Iterable[tuple[str, int]]:
    length = 1 - _DAMPING + _DAMPING * words.total() / _USUAL_WORDS
    for word, times in words.items():
        yield word, max(1, round(FULL * times / (times + _SATURATION * length)))
