"""The texts of a document's passages, compressed, in parts of `PASSAGES`: what a hit reads."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rollcall.core.search import pack_sections, unpack_sections
from rollcall.knowledge.splitting import Piece

PASSAGES = 64


def pack(pieces: Sequence[Piece]) -> bytes:
    """One part, of at most `PASSAGES` passages in their order."""
    rows = [[each.headings, each.page_from, each.page_to, each.text] for each in pieces]
    return pack_sections([json.dumps(rows, ensure_ascii=False).encode()])


def unpack(data: bytes) -> list[Piece]:
    """The passages of a part.

    Raises:
        ValueError: The bytes are damaged.
    """
    (rows,) = unpack_sections(data, 1)
    return [Piece(tuple(headings), *rest) for headings, *rest in json.loads(rows)]
