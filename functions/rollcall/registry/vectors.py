"""Search by meaning over tools: embeddings of tools and of queries.

The tools' vectors are made when the registry is compiled. Each is stored as 8-bit numbers and as a
code with one bit for each number: whether it is above the mean of all tools. A query is compared
with every code (the differing bits, counted by `int.bit_count`), and only with the numbers of the
nearest. Unchanged texts keep their vectors: only new ones are embedded.

A query's vector is computed in parallel to other work, and never waited for long:

    pending = embed_query(embedder, message)        # at once, before the thread is read
    ...
    vector = pending.wait() if pending else None    # None: search by words alone

An embedder that is slow or fails twice in a row costs two short waits and a line in the log; then
it is paused. (A single failure may come from a process that is just starting.)
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextvars import copy_context
from functools import cache
from operator import gt, mul
from typing import Self

from msgspec import Struct, field

from rollcall.core.context import Embedder
from rollcall.core.embedding import embed_documents
from rollcall.core.search import (
    best,
    merge,
    pack_sections,
    quantized,
    unpack_sections,
)
from rollcall.registry.index import Match, Searchable

SHORTLIST = 100
"""The least number of tools that are compared number by number."""
MEANING = 0.75
"""The weight of the nearest tool in meaning, where the best one by words has 1."""
TEXT_CHARS = 2_000
"""The most characters of a tool, and of a query, that are embedded."""
WAIT_S = 0.6
"""How long a query waits for its vector, from the start of the computation."""
PAUSE_S = 60.0
"""How long an embedder that did not answer is paused."""
MISSES = 2
"""After this many misses in a row an embedder is paused."""
MAX_PENDING = 16
"""How many queries may wait for one embedder at once."""
_VERSION = 1
_DIGEST_CHARS = 16
_BITS = bytes.maketrans(b"\x00\x01", b"01")

log = logging.getLogger("rollcall")


class _Row(Struct, frozen=True):
    """One tool's vector: `numbers` times `scale` has length 1."""

    digest: str
    scale: float
    numbers: array[int]


class VectorIndex:
    """Tools by their embeddings. Immutable; any number of threads may search it.

    Attributes:
        embedder_id: The embedder that made the vectors; a query needs a vector of the same.
        places: The place of each vector's tool in the sequence this was built from; tools that
            could not be embedded are missing.
    """

    def __init__(
        self,
        embedder_id: str,
        places: Sequence[int],
        rows: Sequence[_Row],
        mean: Sequence[float],
        codes: Sequence[int] | None = None,
    ) -> None:
        self.embedder_id = embedder_id
        self.places = tuple(places)
        self._rows = rows
        self._mean = mean
        self._codes = codes or [self._code(row.numbers, row.scale) for row in rows]

    @classmethod
    def build(
        cls,
        tools: Sequence[Searchable],
        embedder: Embedder | None,
        before: VectorIndex | None = None,
    ) -> Self:
        """Embed tools, except for texts that `before` has by the same embedder.

        Without an embedder, the vectors of `before` for current texts are kept. Texts that the
        embedder fails to embed are logged and left out, and tried again next time.
        """
        texts = [text_of(tool) for tool in tools]
        digests = [hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARS] for text in texts]
        known = {}
        if before and embedder:
            of_before = (before.embedder_id, len(before._mean))
            if (embedder.id, embedder.dimensions) == of_before:
                known = {row.digest: row for row in before._rows}
        elif before:
            known = {row.digest: row for row in before._rows}
        if embedder:
            new = {
                digest: (text, tool.id)
                for digest, text, tool in zip(digests, texts, tools, strict=True)
                if digest not in known
            }
            some, names = [text for text, _ in new.values()], [name for _, name in new.values()]
            for digest, vector in zip(new, embed_documents(embedder, some, names), strict=True):
                if vector is not None:
                    known[digest] = _Row(digest, *quantized(vector))
        places = [place for place, digest in enumerate(digests) if digest in known]
        rows = [known[digests[place]] for place in places]
        by = embedder.id if embedder else before.embedder_id if before else ""
        return cls(by, places, rows, _mean(rows))

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
        return pack_sections(
            [
                json.dumps(head).encode(),
                array("I", self.places).tobytes(),
                array("f", self._mean).tobytes(),
                array("f", [row.scale for row in self._rows]).tobytes(),
                b"".join(row.numbers.tobytes() for row in self._rows),
                b"".join(code.to_bytes(width, "little") for code in self._codes),
            ]
        )

    @classmethod
    def load(cls, data: bytes) -> Self:
        """Return the index from the bytes that `dump` made.

        Raises:
            ValueError: The bytes are damaged, or an index of another version.
        """
        head, places, mean, scales, numbers, codes = unpack_sections(data, 6)
        header = json.loads(head)
        if header.get("version") != _VERSION:
            raise ValueError(f"vectors of version {header.get('version')!r}, not {_VERSION}")
        size, width = header["dimensions"], -(-header["dimensions"] // 8)
        digests, factors = header["digests"], array("f", scales)
        count = len(digests)
        if (len(places), len(factors), len(numbers), len(codes), len(mean)) != (
            *(4 * count, count, size * count, width * count, 4 * size),
        ):
            raise ValueError("damaged vectors: their columns do not belong together")
        rows = [
            _Row(digest, factors[n], array("b", numbers[n * size : (n + 1) * size]))
            for n, digest in enumerate(digests)
        ]
        known = [int.from_bytes(codes[n * width : (n + 1) * width], "little") for n in range(count)]
        return cls(header["embedder"], array("I", places), rows, array("f", mean), known)

    def search(
        self,
        vector: Sequence[float],
        *,
        limit: int,
        allowed: bytes | bytearray | None = None,
    ) -> list[tuple[int, float]]:
        """Return the at most `limit` tools nearest to a query, as (place, cosine), best first.

        Args:
            vector: The query's vector, by the same embedder.
            allowed: By place, true where the tool may be offered; None allows all.
        """
        if len(vector) != len(self._mean):
            return []
        scale, quantized_query = quantized(vector)
        query = list(quantized_query)
        code = self._code(query, scale)
        apart = [(known ^ code).bit_count() for known in self._codes]
        may: Sequence[int] = range(len(apart))
        if allowed is not None:
            may = [n for n, place in enumerate(self.places) if allowed[place]]
        near = sorted([apart[n] for n in may])[: max(SHORTLIST, limit)]
        furthest = near[-1] if near else 0
        rows, places = self._rows, self.places
        cosines = {
            places[n]: scale * rows[n].scale * sum(map(mul, rows[n].numbers, query))
            for n in may
            if apart[n] <= furthest
        }
        return best(cosines, limit)

    def _code(self, numbers: Sequence[int], scale: float) -> int:
        """Return a code with one bit for each number of a vector: whether it is above the mean."""
        bounds = [value / scale for value in self._mean] if scale else self._mean
        return int(bytes(map(gt, numbers, bounds)).translate(_BITS) or b"0", 2)


def text_of(tool: Searchable) -> str:
    """Return the text of a tool that is embedded: names, description, what users say for it."""
    lines = [", ".join(dict.fromkeys((*tool.names, tool.id.replace("_", " ")))), tool.description]
    return "\n".join([*lines, *tool.examples, ", ".join(tool.keywords)])[:TEXT_CHARS]


def merged(
    words: Sequence[Match], vectors: Sequence[tuple[int, float]], *, limit: int
) -> list[Match]:
    """Merge matches by words and by vectors; a match by words keeps its `fit`."""
    scores = merge([(match.place, match.score) for match in words], vectors, meaning=MEANING)
    fits = {match.place: match.fit for match in words}
    return [Match(place, score, fits.get(place, 0.0)) for place, score in best(scores, limit)]


def _mean(rows: Sequence[_Row]) -> list[float]:
    """Return the mean vector: all embeddings share its direction, which distinguishes no tools."""
    if not rows:
        return []
    total = [0.0] * len(rows[0].numbers)
    for row in rows:
        total = [sum_ + row.scale * value for sum_, value in zip(total, row.numbers, strict=True)]
    # In stored precision, so that a loaded index gives a query the same code as this one.
    return list(array("f", [value / len(rows) for value in total]))


class PendingVector(Struct):
    """A query's vector that is being computed.

    Attributes:
        is_missed: Whether a wait for it has already been counted as a miss.
    """

    maker: _QueryEmbedder
    future: Future[list[float]]
    begun_at: float = field(default_factory=time.monotonic)
    is_missed: bool = False

    def wait(self, *, wait_s: float = WAIT_S) -> list[float] | None:
        """Return the vector if it is ready within `wait_s` of its start, else None."""
        left = max(0.0, self.begun_at + wait_s - time.monotonic())
        try:
            vector = self.future.result(left)
        except NotInTime:
            self._miss("did not answer in time")
            return None
        except Exception as error:  # of an SDK or a network; search by words still works
            self._miss(f"failed ({type(error).__name__})")
            return None
        self.maker.count_answer()
        return vector

    def _miss(self, why: str) -> None:
        """Count a miss, once: a retried commit waits again."""
        if not self.is_missed:
            self.is_missed = True
            self.maker.count_miss(why)


def embed_query(embedder: Embedder | None, text: str) -> PendingVector | None:
    """Embed a query in another thread; None if there is no embedder or it is paused."""
    if embedder is None or not text.strip():
        return None
    return _query_embedder(embedder).begin(text[:TEXT_CHARS])


class _QueryEmbedder:
    """Calls one embedder in daemon threads, for which the process's end does not wait."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._room = threading.BoundedSemaphore(MAX_PENDING)
        self._paused_until = 0.0
        self._misses = 0
        self._lock = threading.Lock()

    def begin(self, text: str) -> PendingVector | None:
        """Begin to embed a text; None while the embedder is paused or has too many pending."""
        if time.monotonic() < self._paused_until or not self._room.acquire(blocking=False):
            return None
        future: Future[list[float]] = Future()
        run = copy_context().run  # with this request's log fields
        threading.Thread(target=run, args=(self._embed, text, future), daemon=True).start()
        return PendingVector(self, future)

    def count_answer(self) -> None:
        with self._lock:
            self._misses = 0

    def count_miss(self, why: str) -> None:
        """Count a miss; after `MISSES` in a row, pause the embedder and log it once."""
        with self._lock:
            self._misses += 1
            if self._misses < MISSES or time.monotonic() < self._paused_until:
                return
            self._paused_until = time.monotonic() + PAUSE_S
            self._misses = 0
        log.warning(
            "%s %s: tools are found by words alone for %d s", self._embedder.id, why, PAUSE_S
        )

    def _embed(self, text: str, future: Future[list[float]]) -> None:
        try:
            future.set_result(self._embedder.embed([text], task="query")[0])
        except BaseException as error:  # of any kind: the waiting thread gets it
            future.set_exception(error)
        finally:
            self._room.release()


_query_embedder: Callable[..., _QueryEmbedder] = cache(_QueryEmbedder)
"""The one `_QueryEmbedder` of an embedder."""
