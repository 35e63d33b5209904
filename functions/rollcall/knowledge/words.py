"""The word index of a document: which passages have a word, and how much it weighs there.

It is cut into parts of at most `PASSAGES` passages, fewer where these have so many words of their
own (numbers, codes) that a part would not fit into a Firestore document of 1 MiB. Weights
(BM25's share of a passage) are made when a document is indexed, against a usual length and not the
collection's mean, so that they never change when other documents come and go. How rare a word is
depends on what is searched, and is reckoned by the search.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from rollcall.core.search import Postings, pack_sections, saturated, unpack_sections
from rollcall.core.text import terms
from rollcall.knowledge.splitting import Piece

PASSAGES = 1_000
MOST_BYTES = 900_000
"""Of a part."""
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
    postings = Postings.build([_weights(found) for found in passages])
    head = {"version": _VERSION, "passages": len(passages), "first": first}
    starts, weights = postings.starts, postings.weights
    # Versions before this one read the greatest weight of each word too.
    peaks = bytes(max(weights[first:last]) for first, last in pairwise(starts))
    return pack_sections([json.dumps(head).encode(), *postings.dump("H"), peaks])


class Part(Struct, frozen=True):
    """A part of the index, read.

    Attributes:
        first: The number in the document of the part's first passage, from which places count.
    """

    first: int
    postings: Postings


def read(data: bytes) -> Part:
    """Read a part that `pack` made.

    Raises:
        ValueError: The bytes are damaged, or a part of another version.
    """
    head, *sections, _ = unpack_sections(data, 6)
    told = json.loads(head)
    if told.get("version") != _VERSION:
        raise ValueError(f"words of version {told.get('version')!r}, not {_VERSION}")
    return Part(told["first"], Postings.load(told["passages"], sections, "H"))


def _stems(text: str) -> list[str]:
    return [word[:_LONGEST_WORD] for word in terms(text)]


def _weights(words: Counter[str]) -> dict[str, float]:
    length = words.total() / _USUAL_WORDS
    return {word: saturated(n, length, k=_SATURATION, b=_DAMPING) for word, n in words.items()}
