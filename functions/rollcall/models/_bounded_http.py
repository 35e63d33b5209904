"""An HTTP client whose timeout holds for the whole answer, and whose answers can be cut.

The SDKs' own timeouts count from one read to the next, so a server that sends a byte now and
then is never late for them; and none of them can be told, by another thread, to stop waiting.
Imported where a client is built, because httpx2 is slow to load.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import httpcore2
import httpx2

from rollcall.models.cutting import interruptible

CONNECT_S = 5.0
LINGER_S = 0.2


class BoundedClient(httpx2.Client):
    """A client for which a request's read timeout is the time until the answer's last byte."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # The client has no parameter for this; passing it a transport would end its use of the
        # environment's proxies.
        for transport in (self._transport, *self._mounts.values()):
            if isinstance(transport, httpx2.HTTPTransport):
                pool = transport._pool
                pool._network_backend = _Network(pool._network_backend)

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
        connection = response.extensions.get("network_stream")
        if isinstance(connection, _Connection):
            connection.ends = ends
            response.stream = _BoundedStream(response.stream, connection)
        if not stream:
            try:
                response.read()
            finally:
                response.close()
        return response


def read_out(response: httpx2.Response, chunks: Iterator[bytes]) -> None:
    """Read the rest of an answer of which all is known, so that its connection serves the next
    request; one that does not end at once is not worth waiting for, and is not kept."""
    if isinstance(response.stream, _BoundedStream):
        response.stream.hasten(LINGER_S)
    with suppress(Exception):  # whatever is wrong with the rest, the answer is there
        for _ in chunks:
            pass


class _BoundedStream(httpx2.SyncByteStream):
    """A response's body, whose connection is bounded until the body is closed."""

    def __init__(self, stream: httpx2.SyncByteStream, connection: _Connection) -> None:
        self._stream = stream
        self._connection = connection

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        finally:
            self.close()

    def hasten(self, limit_s: float) -> None:
        """Let the rest take so long at most."""
        if self._connection.ends is not None:
            self._connection.ends = min(self._connection.ends, time.monotonic() + limit_s)

    def close(self) -> None:
        self._connection.ends = None  # before it serves somebody else
        self._stream.close()


class _Network(httpcore2.NetworkBackend):
    """Opens connections that can be cut while somebody waits for them."""

    def __init__(self, network: httpcore2.NetworkBackend) -> None:
        self._network = network

    def connect_tcp(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        # Not cut while it connects, which takes no longer than CONNECT_S; what follows is.
        with interruptible(lambda: None):
            return _Connection(self._network.connect_tcp(*args, **options))

    def connect_unix_socket(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        return _Connection(self._network.connect_unix_socket(*args, **options))

    def sleep(self, seconds: float) -> None:
        self._network.sleep(seconds)


class _Connection(httpcore2.NetworkStream):
    """A connection whose reads and writes end when the current cut is made.

    `ends` is the `time.monotonic()` value by which the last byte must have been read, if any.
    """

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream
        self.ends: float | None = None

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self.ends is not None:
            timeout = self.ends - time.monotonic()
            if timeout <= 0:
                raise httpcore2.ReadTimeout("the time for the whole answer is over")
        with interruptible(self._cut):
            return self._stream.read(max_bytes, timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with interruptible(self._cut):
            self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        plain: socket.socket = self.get_extra_info("socket")
        # The handshake takes the socket away from whoever holds it, so a second handle is needed.
        with (
            socket.fromfd(plain.fileno(), plain.family, plain.type) as twin,
            interruptible(partial(_shut_down, twin)),
        ):
            return _Connection(self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def _cut(self) -> None:
        connection = self.get_extra_info("socket")
        if connection is not None:
            _shut_down(connection)


def _shut_down(connection: socket.socket) -> None:
    # Below TLS: closing that properly would wait for, or race with, the thread that reads.
    with suppress(OSError):  # gone already, and that is all we want
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
