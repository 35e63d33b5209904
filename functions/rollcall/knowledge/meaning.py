"""Vectors of a document's passages, in 8-bit numbers, in parts of `PASSAGES`.

They are compared one by one, in plain Python: 1,000 passages of 768 numbers take some 30 ms. So a
search compares a bounded number of them, and needs no index that a deletion would have to wait for.
"""

from __future__ import annotations

import json
import logging
from array import array
from collections.abc import Sequence
from heapq import nlargest
from operator import mul

from rollcall.core.context import Embedder
from rollcall.core.search import (
    pack_array,
    pack_sections,
    quantized,
    unpack_array,
    unpack_sections,
)
from rollcall.knowledge.found import joined
from rollcall.knowledge.splitting import Piece

PASSAGES = 500
AT_ONCE = 64
_VERSION = 1

log = logging.getLogger("rollcall")


def embed(embedder: Embedder, pieces: Sequence[Piece]) -> list[list[float]] | None:
    """Vectors of passages with their headings; None where the embedder does not answer."""
    texts = [f"{joined(piece.headings)}\n{piece.text}".strip() for piece in pieces]
    try:
        vectors = embedder.embed(texts, task="document")
    except Exception as error:  # an SDK's, a network's: words still find these passages
        log.warning("%s embedded no passages (%s)", embedder.id, type(error).__name__)
        return None
    if [len(vector) for vector in vectors] != [embedder.dimensions] * len(pieces):
        log.warning("%s sent no vectors of the length it promises", embedder.id)
        return None
    return vectors


def embed_query(embedder: Embedder, query: str) -> list[float] | None:
    """The vector of a question; None where the embedder does not answer."""
    try:
        return embedder.embed([query], task="query")[0]
    except Exception as error:
        log.warning("%s embedded no question (%s)", embedder.id, type(error).__name__)
        return None


def pack(vectors: Sequence[Sequence[float]]) -> bytes:
    """One part, of at most `PASSAGES` vectors of one length."""
    rows = [quantized(vector) for vector in vectors]
    head = {"version": _VERSION, "dimensions": len(vectors[0]) if vectors else 0}
    return pack_sections(
        [
            json.dumps(head).encode(),
            pack_array("f", [scale for scale, _ in rows]),
            b"".join(small.tobytes() for _, small in rows),
        ]
    )


def nearest(data: bytes, vector: Sequence[float], *, limit: int) -> list[tuple[int, float]]:
    """The passages of a part nearest to a question: their places, each with its cosine.

    Raises:
        ValueError: The bytes are damaged, or a part of another version.
    """
    head, scales, rows = unpack_sections(data, 3)
    told = json.loads(head)
    if told.get("version") != _VERSION:
        raise ValueError(f"vectors of version {told.get('version')!r}, not {_VERSION}")
    size = told["dimensions"]
    if len(vector) != size:
        return []
    factors, known = unpack_array("f", scales), array("b", rows)
    scale, asked = quantized(vector)
    wanted = list(asked)
    scored = [
        (place, scale * factor * sum(map(mul, known[place * size : (place + 1) * size], wanted)))
        for place, factor in enumerate(factors)
    ]
    return nlargest(limit, scored, key=lambda each: each[1])
