"""Reads structs from plain data and from JSON, thread-safely.

msgspec inspects a type at its first use, and another thread that uses the type meanwhile crashes
the process with a segmentation fault (msgspec 0.22). So a lock guards the first use of each type.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_lock = Lock()
_known: set[Any] = set()


def convert(
    data: object, kind: type[T], *, dec_hook: Callable[[type, Any], Any] | None = None
) -> T:
    """Return plain data as a struct, or as a list or dict of structs.

    Args:
        dec_hook: Makes values of types that msgspec does not know.
    Raises:
        msgspec.ValidationError: The data is not of this type.
    """
    _prepare(kind)
    return msgspec.convert(data, kind, dec_hook=dec_hook)


def decode(text: bytes | str, kind: type[T]) -> T:
    """Return JSON as a struct, or as a list or dict of structs.

    Raises:
        msgspec.DecodeError: It is not JSON, or not of this type.
    """
    _prepare(kind)
    return msgspec.json.decode(text, type=kind)


def _prepare(kind: Any) -> None:
    if kind not in _known:
        with _lock:
            msgspec.json.Decoder(kind)
            _known.add(kind)
