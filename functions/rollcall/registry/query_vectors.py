"""A query's embedding, made while other work goes on, and never waited for long.

    asked = asked_for(embedder, message)     # at once, before the thread is read
    ...
    vector = in_time(asked)                  # None: go by words alone

An embedder that is slow or fails twice running costs two short waits and a line in the log; for a
while it is then not asked at all. (Once may be a process that is just starting.)
"""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextvars import copy_context
from functools import cache
from typing import Any

from msgspec import Struct, field

from rollcall.core.context import Embedder

WAIT_S = 0.6
"""How long a query waits for its vector, from when it was asked for."""
PAUSE_S = 60.0
"""How long an embedder that did not answer is left alone."""
MISSES = 2
"""After so many running it is left alone."""
MAX_WAITING = 16
"""How many queries may wait for one embedder at once."""
QUERY_CHARS = 2_000

log = logging.getLogger("rollcall")


class Asked(Struct):
    """A vector that was asked for.

    Attributes:
        is_missed: Whoever waited for it was told that it is not there.
    """

    of: _Asker
    future: Future[list[float]]
    asked_at: float = field(default_factory=time.monotonic)
    is_missed: bool = False

    def missed(self, why: str) -> None:
        """Hold it against the embedder, once: a transaction that is tried again waits again."""
        if not self.is_missed:
            self.is_missed = True
            self.of.missed(why)


def asked_for(embedder: Embedder | None, text: str) -> Asked | None:
    """Have a text embedded in another thread; None where there is nothing to wait for."""
    if embedder is None or not text.strip():
        return None
    kept: Any = embedder
    return _asker(kept).ask(text[:QUERY_CHARS])


def in_time(asked: Asked | None, *, wait_s: float = WAIT_S) -> list[float] | None:
    """The vector, if it is there within `wait_s` of being asked for; None goes by words alone."""
    if asked is None:
        return None
    left = max(0.0, asked.asked_at + wait_s - time.monotonic())
    try:
        found = asked.future.result(left)
    except NotInTime:
        asked.missed("did not answer in time")
        return None
    except Exception as error:  # an SDK's, a network's: words still find tools
        asked.missed(f"failed ({type(error).__name__})")
        return None
    asked.of.answered()
    return found


class _Asker:
    """Asks one embedder, in threads that nothing waits for at the process's end."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._room = threading.BoundedSemaphore(MAX_WAITING)
        self._paused_until = 0.0
        self._misses = 0
        self._counting = threading.Lock()

    def ask(self, text: str) -> Asked | None:
        if time.monotonic() < self._paused_until or not self._room.acquire(blocking=False):
            return None
        future: Future[list[float]] = Future()
        run = copy_context().run  # so that what is logged there is this request's
        threading.Thread(target=run, args=(self._embed, text, future), daemon=True).start()
        return Asked(self, future)

    def answered(self) -> None:
        with self._counting:
            self._misses = 0

    def missed(self, why: str) -> None:
        """Leave the embedder alone for a while if it goes on like this, and say so once."""
        with self._counting:
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
        except BaseException as error:  # whoever waits is told, whatever it is
            future.set_exception(error)
        finally:
            self._room.release()


@cache
def _asker(embedder: Any) -> _Asker:
    return _Asker(embedder)
