"""Reads structs from plain data and from JSON, safely in many threads.

msgspec works out what it knows of a type at its first use, and a thread that uses the type
meanwhile finds that half done, which ends the process by a segmentation fault (msgspec 0.22). So
the first use of a type is one thread's alone.
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
        dec_hook: Makes the values of types that msgspec does not know.
    Raises:
        msgspec.ValidationError: The data is not of this type.
    """
    _prepare(kind)
    return msgspec.convert(data, kind, dec_hook=dec_hook)


def decode(text: bytes | str, kind: type[T]) -> T:
    """Return what JSON says as a struct, or as a list or dict of structs.

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
