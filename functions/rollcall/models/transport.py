"""HTTP for model providers: one request, and its answer as JSON events while it comes.

Connections are kept per process and shared by all threads. A request has one deadline, from the
first byte sent to the last byte read; within it no answer may be silent for `SILENCE_S` once it
has begun. A line of a stream, a body and an error's body are bounded, so that a hostile or broken
server cannot fill the memory. Redirects are not followed (a key would follow them) and nothing is
sent twice. Whoever waits here can be told to stop by another thread: see
`rollcall.models.base`.
"""

from __future__ import annotations

import os
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, lru_cache, partial
from typing import Any, Self
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationValueError,
    NewConnectionError,
    ProxyError,
    SSLError,
)

from rollcall.core.messages import Json
from rollcall.models.base import Clock, interruptible
from rollcall.models.json_stream import json_events, mapping, parsed

CONNECT_S = 5.0
CALL_LIMIT_S = 300.0
"""The longest that a call may take where its request has no deadline of its own."""
SILENCE_S = 150.0
"""The longest pause between two reads of one answer; a model may think that long before it
writes."""
LINGER_S = 0.2
"""How long the end of an answer is waited for of which all is known."""
READ_BYTES = 65_536
BODY_BYTES = 64_000_000
"""All of one answer; a stream of 128,000 tokens has about 30 MB."""
ERROR_BYTES = 1_000_000
CONNECTIONS = 64
"""Kept per server; a process answers fewer requests at once."""

_NOT_SENT = (ConnectTimeoutError, NewConnectionError, ProxyError, SSLError)


class TransportError(Exception):
    """No answer, or not all of one.

    Attributes:
        is_sent: The request may have reached the server, which may charge for it.
        is_address: The address itself is not usable.
    """

    def __init__(self, told: str, *, is_sent: bool = True, is_address: bool = False) -> None:
        super().__init__(told)
        self.is_sent, self.is_address = is_sent, is_address


class ProviderError(Exception):
    """A failure that a provider reports: by its HTTP status, or inside an answer that began well.

    Attributes:
        status: The HTTP status, or the number that the provider wrote instead; 0 without either.
        body: The provider's error object: `code`, `type`, `status`, `message`, `details`.
        headers: Of the answer, their names in any case.
    """

    def __init__(
        self, status: int, body: dict[str, Json], headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"HTTP {status}")
        self.status, self.body, self.headers = status, body, headers or {}


class Response:
    """A good answer, yet unread. As a context manager it gives its connection back, or closes it
    where not all was read."""

    def __init__(self, raw: urllib3.BaseHTTPResponse, clock: Clock) -> None:
        self._raw, self._clock = raw, clock
        self._connection: Any = raw.connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # A connection that went back to the pool is not the response's any longer.
        self._raw.close()

    def events(self) -> Iterator[dict[str, Json]]:
        """The JSON objects of the answer, as `rollcall.models.json_stream.json_events` reads them.

        Raises:
            TransportError: The answer broke off or was silent for too long.
            ValueError: It is no JSON, or a line of it is too long.
            DeadlineExceeded: The time for the call is over.
        """
        return json_events(self.chunks(BODY_BYTES))

    def chunks(self, most: int) -> Iterator[bytes]:
        """The body as it comes, at most `most` bytes of it."""
        size = 0
        while data := self._read(self._clock.left_s(at_most=SILENCE_S)):
            size += len(data)
            if size > most:
                raise TransportError(f"the answer has more than {most} bytes")
            yield data
            self._clock.left_s(at_most=SILENCE_S)

    def read_out(self) -> None:
        """Read the rest of an answer of which all is known, so that its connection serves the next
        request; one that does not end at once is not waited for."""
        ends = time.monotonic() + LINGER_S
        with suppress(Exception):  # whatever is wrong with the rest, the answer is there
            while (left_s := ends - time.monotonic()) > 0 and self._read(left_s):
                pass

    def _read(self, limit_s: float) -> bytes:
        wire = getattr(self._connection, "wire", None)
        if wire is not None and not self._raw.closed:
            with suppress(OSError):  # closed already: what is left is in memory
                wire.settimeout(limit_s)
        with _failures(), interruptible(partial(self._cut, wire)):
            return self._raw.read1(READ_BYTES)

    def _cut(self, wire: socket.socket | None) -> None:
        # Whose last byte was read went back to the pool, and may serve somebody else by now.
        if self._raw.connection is not None:
            _shut_down(wire)


def post(
    url: str, body: bytes, headers: Mapping[str, str], clock: Clock, *, method: str = "POST"
) -> Response:
    """Send a JSON body and wait for the answer's head.

    Args:
        clock: Holds the deadline of the whole call.
        method: "GET" for what is only read.
    Raises:
        ProviderError: The status is not 2xx.
        TransportError: The server could not be reached, or broke off.
        DeadlineExceeded: The time for the call is over.
    """
    left_s = clock.left_s(at_most=CALL_LIMIT_S)
    timeout = urllib3.Timeout(connect=min(CONNECT_S, left_s), read=left_s)
    sent = {"content-type": "application/json", "accept-encoding": "identity", **headers}
    with _failures():
        raw = _pool(_proxy_of(*_server_of(url))).urlopen(
            method,
            url,
            body=body,
            headers=sent,
            timeout=timeout,
            retries=False,
            redirect=False,
            preload_content=False,
        )
    response = Response(raw, clock)
    if 200 <= raw.status < 300:
        return response
    with response:
        raise ProviderError(raw.status, _error_of(response), raw.headers)


def _server_of(url: str) -> tuple[str, str]:
    """The scheme and the host, with its port, of an address.

    Raises:
        LocationValueError: It is none.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise LocationValueError(str(error)) from None
    if parts.scheme not in ("http", "https"):
        raise LocationValueError(f"the scheme is {parts.scheme!r}")
    return parts.scheme, parts.netloc


def error_of(value: Json) -> dict[str, Json]:
    """The error object in what a server sent as its failure: `{error: {…}}`, `{error: "…"}`, such
    an object in a list, or the fields themselves."""
    if isinstance(value, list):
        value = next(iter(value), None)
    body = mapping(value)
    error = body.get("error", body.get("detail"))
    if isinstance(error, str):
        return {**body, "message": error}
    return mapping(error) or body


def _error_of(response: Response) -> dict[str, Json]:
    data = b""
    try:
        for chunk in response.chunks(ERROR_BYTES):
            data += chunk
    except TransportError:
        pass  # the status is known, and says more than nothing
    return error_of(parsed(data))


@contextmanager
def _failures() -> Iterator[None]:
    """Turn the client library's exceptions into `TransportError`s, without the texts of theirs,
    which hold addresses."""
    try:
        yield
    except LocationValueError as error:
        told = type(error).__name__
        raise TransportError(told, is_sent=False, is_address=True) from None
    except (HTTPError, OSError, ValueError) as error:
        if isinstance(error, UnicodeError):
            raise
        is_sent = not isinstance(error, _NOT_SENT)
        raise TransportError(type(error).__name__, is_sent=is_sent) from None


class _Interruptible(HTTPConnection):
    """A connection whose waiting another thread can end.

    `wire` is its socket, also while the library has handed that to a response.
    """

    wire: socket.socket | None = None

    def connect(self) -> None:
        # Not cancelled while it connects, which takes CONNECT_S at most; what follows is.
        with interruptible(lambda: None):
            super().connect()
        self.wire = self.sock

    def request(self, *args: Any, **options: Any) -> None:
        with interruptible(lambda: _shut_down(self.wire)):
            super().request(*args, **options)

    def getresponse(self) -> Any:
        with interruptible(lambda: _shut_down(self.wire)):
            return super().getresponse()


class _InterruptibleTls(_Interruptible, HTTPSConnection):
    """The same over TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Interruptible


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _InterruptibleTls


def _shut_down(wire: socket.socket | None) -> None:
    # Below TLS: closing that properly would wait for, or race with, the thread that reads.
    if wire is not None:
        # Gone already, which is all we want; or TLS in TLS, through a proxy, which is no socket.
        with suppress(OSError, TypeError):
            socket.socket.shutdown(wire, socket.SHUT_RDWR)


@cache
def trust() -> ssl.SSLContext:
    """Whose certificates are believed: those of the system or of `SSL_CERT_FILE`, and where it has
    none, as Python for macOS, those of certifi."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not context.cert_store_stats()["x509_ca"] and not paths.capath:
        with suppress(ImportError):
            import certifi

            context.load_verify_locations(certifi.where())
    return context


@cache
def _pool(proxy: str | None) -> urllib3.PoolManager:
    options: dict[str, Any] = {"maxsize": CONNECTIONS, "ssl_context": trust()}
    manager: urllib3.PoolManager
    if proxy:
        user = urllib3.util.parse_url(proxy).auth
        headers = urllib3.make_headers(proxy_basic_auth=unquote(user)) if user else None
        manager = urllib3.ProxyManager(proxy, proxy_headers=headers, **options)
    else:
        manager = urllib3.PoolManager(**options)
    manager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}
    return manager


@lru_cache(maxsize=256)
def _proxy_of(scheme: str, place: str) -> str | None:
    """The proxy that the environment names for a server, when it is called first."""
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    known = {} if proxy_bypass(place) else getproxies()
    proxy = known.get(scheme) or known.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def close_connections() -> None:
    """Close what is kept, for servers that stay while this process goes on, as in tests."""
    _pool(None).clear()
    _pool.cache_clear()
    _proxy_of.cache_clear()
