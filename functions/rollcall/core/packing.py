"""Packs columns of numbers and words into bytes, and refuses bytes that are anything else."""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Sequence

_MARK = b"rollcall index 2\n"
_LENGTH = 4


def pack(sections: Sequence[bytes]) -> bytes:
    """Return one compressed block out of sections; the same sections give the same bytes."""
    body = b"".join(len(part).to_bytes(_LENGTH, "little") + part for part in sections)
    return _MARK + zlib.compress(body, 6)


def unpack(data: bytes, count: int) -> list[bytes]:
    """Return the `count` sections of a block.

    Raises:
        ValueError: The bytes are damaged, or no block of this version.
    """
    if not data.startswith(_MARK):
        raise ValueError(f"no index of this version: it begins with {data[:20]!r}")
    inflate = zlib.decompressobj()
    try:
        body = inflate.decompress(data[len(_MARK) :])
    except zlib.error as error:
        raise ValueError(f"a damaged index: {error}") from error
    if not inflate.eof or inflate.unused_data:
        raise ValueError("a damaged index: it is cut off, or goes on after its end")
    sections = []
    start = 0
    while start < len(body):
        end = start + _LENGTH + int.from_bytes(body[start : start + _LENGTH], "little")
        sections.append(body[start + _LENGTH : end])
        start = end
    if start != len(body) or len(sections) != count:
        raise ValueError(f"a damaged index: {len(sections)} sections instead of {count}")
    return sections


def numbers(kind: str, values: Sequence[int] | Sequence[float]) -> bytes:
    """Return an array's bytes, lowest byte first on every machine."""
    column = array(kind, values)
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def column(kind: str, data: bytes) -> array[int]:
    """Return the array that `numbers` made bytes of.

    Raises:
        ValueError: The bytes are no whole number of items.
    """
    found: array[int] = array(kind)
    found.frombytes(data)
    if sys.byteorder == "big":
        found.byteswap()
    return found
