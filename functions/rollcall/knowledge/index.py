"""Index of a document: parts with the texts, words and vectors of its passages.

`texts` parts hold the passages themselves, compressed. `words` parts hold which passages have a
word, with its weight there; a part is divided if its passages have so many different words
(numbers, codes) that it would not fit into a Firestore document. The weights (BM25's term for a
passage) use a usual length instead of the collection's mean, so they do not depend on other
documents; a word's rarity is computed over the searched documents. `vectors` parts are compared
number by number: 1,000 passages of 768 numbers take some 30 ms. So a search compares a limited
number of them, and needs no index that a deletion would have to update.
"""

from __future__ import annotations

import json
import logging
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from operator import mul
from typing import Any

from msgspec import Struct, field

from rollcall.core.context import Embedder
from rollcall.core.redaction import redacted
from rollcall.core.search import (
    Postings,
    best,
    pack_sections,
    quantized,
    saturated,
    unpack_sections,
)
from rollcall.core.text import terms
from rollcall.knowledge.passages import Piece

PASSAGES_OF_TEXTS, PASSAGES_OF_WORDS, PASSAGES_OF_VECTORS = 64, 1_000, 500
"""How many passages a part of each kind has; a part of words may have fewer."""
PART_BYTES = 900_000
"""The largest part of words; Firestore allows 1 MiB."""
_VERSION = 1
_USUAL_WORDS = 110
_SATURATION, _DAMPING = 1.2, 0.6
_HEADING_TIMES = 2
_MAX_WORD = 40
_EMBEDDED_AT_ONCE = 64
SECTION_SEPARATOR = " › "
"""Separates headings in one line, outermost first."""

log = logging.getLogger("rollcall")


class PartWriter(Struct):
    """Writes the parts of a document from a stream of passages, with at most one part of each kind
    in memory.

    Attributes:
        write: Stores a part under its name, such as "t0".
        counts: The number of parts written of each kind: "t" texts, "w" words, "v" vectors.
        embedder: Makes the vectors; None from its first failure on, since with vectors of only some
            passages a search would miss the others.
    """

    write: Callable[[str, bytes], None]
    embedder: Embedder | None
    counts: Counter[str] = field(default_factory=Counter)
    passages: int = 0
    _texts: list[Piece] = field(default_factory=list)
    _words: list[Counter[str]] = field(default_factory=list)
    _unembedded: list[Piece] = field(default_factory=list)
    _vectors: list[list[float]] = field(default_factory=list)

    def add(self, piece: Piece) -> None:
        """Add the next passage, with credentials removed."""
        headings = tuple(redacted(heading) for heading in piece.headings)
        clean = Piece(headings, piece.page_from, piece.page_to, redacted(piece.text))
        self.passages += 1
        self._texts.append(clean)
        self._words.append(words_of(clean))
        if self.embedder:
            self._unembedded.append(clean)
        self._flush(is_end=False)

    def end(self) -> None:
        """Write the remaining passages."""
        self._flush(is_end=True)

    def _flush(self, *, is_end: bool) -> None:
        """Write the full parts and, at the end, the others."""
        if self._texts and (is_end or len(self._texts) == PASSAGES_OF_TEXTS):
            self._write("t", pack_texts(self._texts))
            self._texts = []
        if self._words and (is_end or len(self._words) == PASSAGES_OF_WORDS):
            for part in pack_words(self._words, first=self.passages - len(self._words)):
                self._write("w", part)
            self._words = []
        room = min(_EMBEDDED_AT_ONCE, PASSAGES_OF_VECTORS - len(self._vectors))
        if self._unembedded and self.embedder and (is_end or len(self._unembedded) == room):
            vectors = _embed(self.embedder, self._unembedded)
            self._unembedded = []
            if vectors is None:
                self.embedder, self._vectors = None, []
            else:
                self._vectors += vectors
        if self._vectors and (is_end or len(self._vectors) == PASSAGES_OF_VECTORS):
            self._write("v", pack_vectors(self._vectors))
            self._vectors = []

    def _write(self, kind: str, data: bytes) -> None:
        self.write(f"{kind}{self.counts[kind]}", data)
        self.counts[kind] += 1


def words_of(piece: Piece) -> Counter[str]:
    """Return the stems of a passage with their counts; those of its headings count more."""
    counts = Counter(_stems(piece.text))
    for heading in piece.headings:
        for word in _stems(heading):
            counts[word] += _HEADING_TIMES
    return counts


def query_words(query: str) -> list[str]:
    """Return the distinct stems of a question."""
    return list(dict.fromkeys(_stems(query)))


def pack_texts(pieces: Sequence[Piece]) -> bytes:
    """Return a part of at most `PASSAGES_OF_TEXTS` passages in their order."""
    rows = [[each.headings, each.page_from, each.page_to, each.text] for each in pieces]
    return pack_sections([json.dumps(rows, ensure_ascii=False).encode()])


def unpack_texts(data: bytes) -> list[Piece]:
    """Return the passages of a part.

    Raises:
        ValueError: The bytes are damaged.
    """
    (rows,) = unpack_sections(data, 1)
    return [Piece(tuple(headings), *rest) for headings, *rest in json.loads(rows)]


def pack_words(passages: Sequence[Counter[str]], *, first: int) -> Iterator[bytes]:
    """Yield the word index of passages in their order, in as few parts as possible.

    Args:
        passages: The words of each passage with their counts.
        first: The first passage's number in its document.
    """
    weights = []
    for words in passages:
        length = words.total() / _USUAL_WORDS
        weights.append(
            {word: saturated(n, length, k=_SATURATION, b=_DAMPING) for word, n in words.items()}
        )
    postings = Postings.build(weights)
    head = {"version": _VERSION, "passages": len(passages), "first": first}
    data = pack_sections([json.dumps(head).encode(), *postings.dump("H")])
    if len(data) <= PART_BYTES or len(passages) == 1:
        yield data
        return
    half = len(passages) // 2
    yield from pack_words(passages[:half], first=first)
    yield from pack_words(passages[half:], first=first + half)


def unpack_words(data: bytes) -> tuple[int, Postings]:
    """Return the number of a part's first passage in the document, and the part's word index, whose
    places count from it.

    Raises:
        ValueError: The bytes are damaged, or a part of another version.
    """
    first_section, *sections = unpack_sections(data, 5, 6)  # the sixth is not needed any more
    head = _head(first_section)
    return head["first"], Postings.load(head["passages"], sections[:4], "H")


def pack_vectors(vectors: Sequence[Sequence[float]]) -> bytes:
    """Return a part of at most `PASSAGES_OF_VECTORS` vectors of one length."""
    rows = [quantized(vector) for vector in vectors]
    head = {"version": _VERSION, "dimensions": len(vectors[0]) if vectors else 0}
    return pack_sections(
        [
            json.dumps(head).encode(),
            array("f", [scale for scale, _ in rows]).tobytes(),
            b"".join(numbers.tobytes() for _, numbers in rows),
        ]
    )


def nearest(data: bytes, vector: Sequence[float], *, limit: int) -> list[tuple[int, float]]:
    """Return the passages of a part nearest to a question: their places with their cosines.

    Raises:
        ValueError: The bytes are damaged, or a part of another version.
    """
    head, scales, rows = unpack_sections(data, 3)
    size = _head(head)["dimensions"]
    if len(vector) != size:
        return []
    known = array("b", rows)
    scale, numbers = quantized(vector)
    query = list(numbers)
    cosines = {
        place: scale * factor * sum(map(mul, known[place * size : (place + 1) * size], query))
        for place, factor in enumerate(array("f", scales))
    }
    return best(cosines, limit)


def _head(data: bytes) -> dict[str, Any]:
    head: dict[str, Any] = json.loads(data)
    if head.get("version") != _VERSION:
        raise ValueError(f"a part of an index of version {head.get('version')!r}, not {_VERSION}")
    return head


def _embed(embedder: Embedder, pieces: Sequence[Piece]) -> list[list[float]] | None:
    """Return the vectors of passages with their headings; None if the embedder fails."""
    texts = [f"{SECTION_SEPARATOR.join(piece.headings)}\n{piece.text}".strip() for piece in pieces]
    try:
        vectors = embedder.embed(texts, task="document")
    except Exception as error:  # of an SDK or a network; search by words still works
        log.warning("%s embedded no passages (%s)", embedder.id, type(error).__name__)
        return None
    if [len(vector) for vector in vectors] != [embedder.dimensions] * len(pieces):
        log.warning("%s sent vectors of another length than it declares", embedder.id)
        return None
    return vectors


def _stems(text: str) -> list[str]:
    return [word[:_MAX_WORD] for word in terms(text)]
