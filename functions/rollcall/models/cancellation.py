"""Ends a model's stream from another thread, also while it waits for a silent provider.

Who reads a stream in a thread of its own makes a `Cancellation` and sets it as that thread's
`CURRENT`. Whatever blocks there does so under `interruptible`, and ends when it is cancelled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rollcall.core.errors import Aborted


class Cancellation:
    """Tells a thread that nobody wants its answer any more."""

    def __init__(self) -> None:
        self.is_cancelled = False
        self._end: Callable[[], None] | None = None
        self._lock = threading.Lock()

    def cancel(self) -> None:
        """End what blocks now, and let nothing block from now on."""
        with self._lock:
            self.is_cancelled = True
            if self._end is not None:
                self._end()

    @contextmanager
    def guard(self, end: Callable[[], None]) -> Iterator[None]:
        """Call `end` if it is cancelled inside.

        Raises:
            Aborted: It was cancelled before.
        """
        with self._lock:
            if self.is_cancelled:
                raise aborted()
            self._end = end
        try:
            yield
        finally:
            with self._lock:
                self._end = None


CURRENT: ContextVar[Cancellation | None] = ContextVar("cancellation", default=None)


@contextmanager
def interruptible(end: Callable[[], None]) -> Iterator[None]:
    """Block inside; `end` ends that from another thread, if it is cancelled meanwhile."""
    current = CURRENT.get()
    if current is None:
        yield
    else:
        with current.guard(end):
            yield


def is_cancelled() -> bool:
    """Whether nobody wants what this thread reads any more."""
    current = CURRENT.get()
    return current is not None and current.is_cancelled


def aborted() -> Aborted:
    """What a cancelled stream raises."""
    return Aborted("nobody waits for this answer any more")
