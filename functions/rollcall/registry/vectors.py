"""The search by meaning over tools: embeddings made when the registry is compiled, in plain Python.

A vector is kept as 8-bit numbers, and as a code of one bit for each: whether it lies above the
mean of all tools there. A query is compared with every code at once (the bits that differ,
counted by `int.bit_count`), and with the numbers of the nearest alone. Texts that did not change
keep their vectors: only new ones are embedded.
"""

from __future__ import annotations

import hashlib
import json
import logging
from array import array
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from operator import gt, mul
from typing import Self

from msgspec import Struct

from rollcall.core import packing
from rollcall.core.context import Embedder
from rollcall.core.eight_bits import eight_bits
from rollcall.core.fusion import weighed
from rollcall.registry.index import Match, Searchable

SHORTLIST = 100
"""At least so many tools are compared number by number."""
MEANING = 0.75
"""What the nearest in meaning counts of what the best by words does."""
TEXT_CHARS = 2_000
_VERSION = 1
_AT_ONCE = 100
_DIGEST_CHARS = 16
_BITS = bytes.maketrans(b"\x00\x01", b"01")

log = logging.getLogger("rollcall")


class _Row(Struct, frozen=True):
    """One tool's vector: `numbers` times `scale` has length 1."""

    digest: str
    scale: float
    numbers: array[int]


class VectorIndex:
    """Tools by what they mean. Immutable; any number of threads may search it.

    Attributes:
        embedder_id: Whose vectors these are; a query's must be of the same.
        places: Where each vector's tool stands in the sequence this was built from; tools that
            could not be embedded are not here.
    """

    def __init__(
        self, embedder_id: str, places: Sequence[int], rows: Sequence[_Row], mean: Sequence[float]
    ) -> None:
        self.embedder_id = embedder_id
        self.places = tuple(places)
        self._rows = rows
        self._mean = mean
        self._codes: Sequence[int] = ()

    @classmethod
    def build(
        cls,
        tools: Sequence[Searchable],
        embedder: Embedder | None,
        before: VectorIndex | None = None,
    ) -> Self:
        """Embed tools; a text that `before` has, by the same embedder, is not embedded again.

        Without an embedder, what `before` has of today's texts is kept. What the embedder does
        not answer is logged and left out, and tried again next time.
        """
        texts = [text_of(tool) for tool in tools]
        digests = [_digest(text) for text in texts]
        known = before._known_to(embedder) if before else {}
        if embedder:
            new = {d: t for d, t in zip(digests, texts, strict=True) if d not in known}
            known |= dict(_embedded(new, embedder))
        places = [place for place, digest in enumerate(digests) if digest in known]
        rows = [known[digests[place]] for place in places]
        by = embedder.id if embedder else before.embedder_id if before else ""
        index = cls(by, places, rows, _mean(rows))
        index._codes = [_code(row.numbers, index._bounds(row.scale)) for row in rows]
        return index

    def dump(self) -> bytes:
        """Return the index as bytes, the same for the same vectors."""
        dimensions = len(self._mean)
        head = {
            "version": _VERSION,
            "embedder": self.embedder_id,
            "dimensions": dimensions,
            "digests": [row.digest for row in self._rows],
        }
        width = -(-dimensions // 8)
        return packing.pack(
            [
                json.dumps(head).encode(),
                packing.numbers("I", self.places),
                packing.numbers("f", self._mean),
                packing.numbers("f", [row.scale for row in self._rows]),
                b"".join(row.numbers.tobytes() for row in self._rows),
                b"".join(code.to_bytes(width, "little") for code in self._codes),
            ]
        )

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Return the index that `dump` made bytes of.

        Raises:
            ValueError: The bytes are damaged, or an index of another version.
        """
        head, places, mean, scales, numbers, codes = packing.unpack(data, 6)
        told = json.loads(head)
        if told.get("version") != _VERSION:
            raise ValueError(f"vectors of version {told.get('version')!r}, not {_VERSION}")
        size, width = told["dimensions"], -(-told["dimensions"] // 8)
        digests, factors = told["digests"], packing.column("f", scales)
        count = len(digests)
        if (len(places), len(factors), len(numbers), len(codes), len(mean)) != (
            *(4 * count, count, size * count, width * count, 4 * size),
        ):
            raise ValueError("damaged vectors: their columns do not belong together")
        rows = [
            _Row(digest, factors[n], array("b", numbers[n * size : (n + 1) * size]))
            for n, digest in enumerate(digests)
        ]
        index = cls(told["embedder"], packing.column("I", places), rows, packing.column("f", mean))
        index._codes = [
            int.from_bytes(codes[n * width : (n + 1) * width], "little") for n in range(count)
        ]
        return index

    def search(
        self,
        vector: Sequence[float],
        *,
        limit: int,
        allowed: bytes | bytearray | None = None,
    ) -> list[tuple[int, float]]:
        """Return the at most `limit` tools nearest to a query, as (place, cosine), best first.

        Args:
            vector: The query, by the same embedder.
            allowed: By place, true where the tool may be offered; None allows all.
        """
        if len(vector) != len(self._mean):
            return []
        asked = _row("", vector)
        numbers = list(asked.numbers)
        code = _code(numbers, self._bounds(asked.scale))
        apart = [(known ^ code).bit_count() for known in self._codes]
        may: Sequence[int] = range(len(apart))
        if allowed is not None:
            may = [n for n, place in enumerate(self.places) if allowed[place]]
        near = sorted([apart[n] for n in may])[: max(SHORTLIST, limit)]
        furthest = near[-1] if near else 0
        rows, places = self._rows, self.places
        scored = [
            (places[n], asked.scale * rows[n].scale * sum(map(mul, rows[n].numbers, numbers)))
            for n in may
            if apart[n] <= furthest
        ]
        return nlargest(limit, scored, key=lambda found: (found[1], -found[0]))

    def _known_to(self, embedder: Embedder | None) -> dict[str, _Row]:
        """The vectors that this embedder would make again, by digest; all without one."""
        if embedder is None:
            return {row.digest: row for row in self._rows}
        if (embedder.id, embedder.dimensions) != (self.embedder_id, len(self._mean)):
            return {}
        return {row.digest: row for row in self._rows}

    def _bounds(self, scale: float) -> list[float]:
        """What a number of a row must exceed to lie above the mean."""
        return [value / scale for value in self._mean] if scale else list(self._mean)


def text_of(tool: Searchable) -> str:
    """What is embedded of a tool: what it is called, what it does, what users say for it."""
    lines = [", ".join(dict.fromkeys((*tool.names, tool.id.replace("_", " ")))), tool.description]
    return "\n".join([*lines, *tool.examples, ", ".join(tool.keywords)])[:TEXT_CHARS]


def merged(
    words: Sequence[Match], vectors: Sequence[tuple[int, float]], *, limit: int
) -> list[Match]:
    """Merge what words and what vectors find; a match keeps the `fit` that its words have."""
    said = [(match.place, match.score) for match in words]
    scores = weighed(said, vectors, meaning=MEANING)
    fits = {match.place: match.fit for match in words}
    best = nlargest(limit, scores, key=lambda place: (scores[place], -place))
    return [Match(place, scores[place], fits.get(place, 0.0)) for place in best]


def _embedded(texts: Mapping[str, str], embedder: Embedder) -> Iterator[tuple[str, _Row]]:
    """Rows of texts, both by digest; without those that the embedder fails on."""
    digests = list(texts)
    for start in range(0, len(digests), _AT_ONCE):
        some = digests[start : start + _AT_ONCE]
        try:
            vectors = embedder.embed([texts[digest] for digest in some], task="document")
        except Exception as error:  # an SDK's, a network's: words still find these tools
            log.warning("%s embedded no tools (%s)", embedder.id, type(error).__name__)
            return
        if [len(vector) for vector in vectors] != [embedder.dimensions] * len(some):
            log.warning("%s sent no vectors of the length it promises", embedder.id)
            return
        for digest, vector in zip(some, vectors, strict=True):
            yield digest, _row(digest, vector)


def _row(digest: str, vector: Sequence[float]) -> _Row:
    """A vector brought to length 1, in 8-bit numbers."""
    return _Row(digest, *eight_bits(vector))


def _code(numbers: Sequence[int], bounds: Sequence[float]) -> int:
    """One bit for each number: whether it exceeds its bound."""
    return int(bytes(map(gt, numbers, bounds)).translate(_BITS) or b"0", 2)


def _mean(rows: Sequence[_Row]) -> list[float]:
    """The mean vector; embeddings share a direction, which tells tools apart no better for it."""
    if not rows:
        return []
    total = [0.0] * len(rows[0].numbers)
    for row in rows:
        total = [sum_ + row.scale * value for sum_, value in zip(total, row.numbers, strict=True)]
    # As it reads back, so that a loaded index codes a query as this one does.
    return list(array("f", [value / len(rows) for value in total]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]
