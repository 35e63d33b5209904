"""A way to end a model's stream from another thread, also while it waits for a silent provider.

Who reads a stream in a thread of its own makes a `Cut` and sets it as that thread's `CURRENT`.
Whatever blocks there does so under `interruptible`, and is ended when the cut is made.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rollcall.core.errors import Aborted


class Cut:
    """Made once, by whoever no longer wants the answer."""

    def __init__(self) -> None:
        self.is_made = False
        self._end: Callable[[], None] | None = None
        self._lock = threading.Lock()

    def make(self) -> None:
        """End what blocks now, and let nothing block from now on."""
        with self._lock:
            self.is_made = True
            if self._end is not None:
                self._end()

    @contextmanager
    def guard(self, end: Callable[[], None]) -> Iterator[None]:
        """Call `end` if the cut is made inside.

        Raises:
            Aborted: The cut was made before.
        """
        with self._lock:
            if self.is_made:
                raise aborted()
            self._end = end
        try:
            yield
        finally:
            with self._lock:
                self._end = None


CURRENT: ContextVar[Cut | None] = ContextVar("cut", default=None)


@contextmanager
def interruptible(end: Callable[[], None]) -> Iterator[None]:
    """Block inside; `end` ends that from another thread, if the current cut is made meanwhile."""
    cut = CURRENT.get()
    if cut is None:
        yield
    else:
        with cut.guard(end):
            yield


def is_cut() -> bool:
    """Whether nobody wants what this thread reads any more."""
    cut = CURRENT.get()
    return cut is not None and cut.is_made


def aborted() -> Aborted:
    """What a stream raises that was cut."""
    return Aborted("nobody waits for this answer any more")
