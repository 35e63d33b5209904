"""A user's openings, one after the other within a process.

All of them write the user's day (`store/day_admission.py`). At once they would only make each other
try again; between processes the database decides.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

WAIT_S = 5.0
"""Who waited so long for the others goes on beside them: they may have a database that hangs."""

_lines: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()
_guard = threading.Lock()


@contextmanager
def in_line(uid: str) -> Iterator[None]:
    """Wait for this process's other openings of the user."""
    with _guard:
        line = _lines.get(uid) or threading.Lock()
        _lines[uid] = line
    is_ours = line.acquire(timeout=WAIT_S)
    try:
        yield
    finally:
        if is_ours:
            line.release()
