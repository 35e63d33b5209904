"""A model's stream, read in a thread, so that who waits for it can do other things meanwhile."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator
from contextvars import copy_context

from msgspec import Struct

from rollcall.models.base import Clock, Delta, Model, ModelRequest
from rollcall.models.cutting import CURRENT, Cut

BUFFERED = 256
"""Deltas that are read ahead of who takes them."""
JOIN_S = 0.5
"""How long a stream that was cut may take to end before it is left to itself."""


def pumped(
    model: Model, request: ModelRequest, *, wait_s: Callable[[], float]
) -> Generator[Delta | None, None, None]:
    """Yield the model's deltas, and None whenever none came for `wait_s()` seconds.

    Closing this cuts the model's stream: its connection is shut down, also while it waits.

    Raises:
        DeadlineExceeded: The request's deadline passed.
        Exception: Whatever the model raised.
    """
    pump = _Pump(model, request)
    clock = Clock(request.deadline)
    try:
        while True:
            items = pump.take(timeout_s=0) or pump.take(timeout_s=clock.left_s(at_most=wait_s()))
            if not items:
                yield None
            for item in items:
                if isinstance(item, _End):
                    if item.error is not None:
                        raise item.error
                    return
                yield item
    finally:
        pump.stop()


class _End(Struct, frozen=True):
    """The last item: how the stream ended."""

    error: Exception | None


class _Pump:
    """The thread that reads, and the queue it fills."""

    def __init__(self, model: Model, request: ModelRequest) -> None:
        self._queue: queue.Queue[Delta | _End] = queue.Queue(BUFFERED)
        self._cut = Cut()
        self._thread = threading.Thread(
            target=copy_context().run,
            args=(self._work, model, request),
            name=f"model {model.id}",
            daemon=True,
        )
        self._thread.start()

    def take(self, *, timeout_s: float) -> list[Delta | _End]:
        """All that has come; if nothing has, the first that comes in time."""
        items: list[Delta | _End] = []
        try:
            items.append(
                self._queue.get(timeout=timeout_s) if timeout_s else self._queue.get(False)
            )
            while True:
                items.append(self._queue.get_nowait())
        except queue.Empty:
            return items

    def stop(self) -> None:
        """End the thread, wherever it is; after the stream's own end there is nothing to do."""
        self._cut.make()
        self.take(timeout_s=0)  # it may be waiting for a place in the queue
        self._thread.join(JOIN_S)

    def _work(self, model: Model, request: ModelRequest) -> None:
        CURRENT.set(self._cut)
        error = None
        try:
            self._read(model, request)
        except Exception as caught:  # for the thread that takes
            error = caught
        self._queue.put(_End(error))

    def _read(self, model: Model, request: ModelRequest) -> None:
        clock = Clock(request.deadline)
        stream = model.stream(request)
        try:
            for delta in stream:
                clock.left_s(at_most=1.0)
                self._queue.put(delta)
                if self._cut.is_made:
                    return
        finally:
            if (close := getattr(stream, "close", None)) is not None:
                close()  # here, because a generator belongs to the thread that runs it
