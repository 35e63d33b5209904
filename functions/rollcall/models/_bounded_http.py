"""An HTTP client whose timeout holds for the whole answer.

The SDKs' own timeouts count from one read to the next, so a server that sends a byte now and
then is never late for them. Imported where a client is built, because httpx2 is slow to load.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx2

CONNECT_S = 5.0


class BoundedClient(httpx2.Client):
    """A client for which a request's read timeout is the time until the answer's last byte."""

    def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        """Send a request; when its time is over the connection is cut, wherever it is."""
        timeouts = request.extensions.get("timeout", {})
        limit_s = timeouts.get("read")
        if limit_s is None:
            return super().send(request, stream=stream, **options)
        ends = time.monotonic() + limit_s
        timeouts["connect"] = min(timeouts.get("connect") or CONNECT_S, CONNECT_S)
        response = super().send(request, stream=True, **options)
        assert isinstance(response.stream, httpx2.SyncByteStream)
        network = response.extensions.get("network_stream")
        connection = network.get_extra_info("socket") if network else None
        response.stream = _BoundedStream(response.stream, connection, ends - time.monotonic())
        if not stream:
            try:
                response.read()
            finally:
                response.close()
        return response


class _BoundedStream(httpx2.SyncByteStream):
    """A response's body, with a watch that shuts the connection down when the time is over."""

    def __init__(
        self, stream: httpx2.SyncByteStream, connection: socket.socket | None, left_s: float
    ) -> None:
        self._stream = stream
        self._connection = connection
        self._done = False
        self._lock = threading.Lock()
        self._watch = threading.Timer(max(left_s, 0.0), self._cut)
        self._watch.daemon = True
        self._watch.start()

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        finally:
            self.close()

    def close(self) -> None:
        with self._lock:
            self._done = True
        self._watch.cancel()
        self._stream.close()

    def _cut(self) -> None:
        # Under the lock: once closed, the connection may already serve somebody else.
        with self._lock:
            if self._done or self._connection is None:
                return
            with suppress(OSError):  # gone already, and that is all we want
                socket.socket.shutdown(self._connection, socket.SHUT_RDWR)
