"""HTTP for model providers: one request, and its answer as JSON events while it comes.

Connections are kept per process and shared by all threads. A request has one deadline, from the
first byte sent to the last byte read; within it no answer may be silent for `SILENCE_S` once it
has begun. A line of a stream, a body and an error's body are bounded, so that a hostile or broken
server cannot fill the memory. Redirects are not followed (a key would follow them) and nothing is
sent twice. Another thread can end the waiting here: see `rollcall.models.base.on_cancel`.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
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

from rollcall.core.errors import Aborted
from rollcall.core.messages import Json
from rollcall.models.base import Clock, on_cancel
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
SERVERS = 1_000
"""More than a process ever calls."""

_ONCE = urllib3.Retry(False, redirect=False)
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
        self._wire: socket.socket | None = getattr(raw.connection, "wire", None)
        try:
            on_cancel(self._cut)
        except Aborted:
            raw.close()  # who asked for it does not get it
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        on_cancel(None)
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
            while self._raw.connection is not None:
                if (left_s := ends - time.monotonic()) <= 0 or not self._read(left_s):
                    break

    def _read(self, limit_s: float) -> bytes:
        if self._wire is not None and not self._raw.closed:
            with suppress(OSError):  # closed already: what is left is in memory
                self._wire.settimeout(limit_s)
        with _failures():
            return self._raw.read1(READ_BYTES)

    def _cut(self) -> None:
        # Whose last byte was read went back to the pool, and may serve somebody else by now.
        if self._raw.connection is not None:
            _shut_down(self._wire)


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
        pool, target = _route(url)
        raw = pool.urlopen(
            method,
            target,
            body=body,
            headers=sent,
            timeout=timeout,
            retries=_ONCE,
            redirect=False,
            assert_same_host=False,
            preload_content=False,
        )
    response = Response(raw, clock)
    if 200 <= raw.status < 300:
        return response
    data = b""
    with response, suppress(TransportError):  # the status is known, and says more than nothing
        for chunk in response.chunks(ERROR_BYTES):
            data += chunk
    raise ProviderError(raw.status, error_of(parsed(data)), raw.headers)


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


class _Connection(HTTPConnection):
    """A connection whose waiting another thread can end, once it is connected.

    `wire` is its socket, also while the library has handed that to a response.
    """

    wire: socket.socket | None = None

    def connect(self) -> None:
        on_cancel(self._cut)
        super().connect()
        self.wire = self.sock
        on_cancel(self._cut)

    def request(self, *args: Any, **options: Any) -> None:
        on_cancel(self._cut)
        super().request(*args, **options)

    def _cut(self) -> None:
        _shut_down(self.wire)


class _TlsConnection(_Connection, HTTPSConnection):
    """The same over TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


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
def _manager(proxy: str | None) -> urllib3.PoolManager:
    options: dict[str, Any] = {
        "num_pools": SERVERS,
        "maxsize": CONNECTIONS,
        "ssl_context": trust(),
    }
    manager: urllib3.PoolManager
    if proxy:
        user = urllib3.util.parse_url(proxy).auth
        headers = urllib3.make_headers(proxy_basic_auth=unquote(user)) if user else None
        manager = urllib3.ProxyManager(proxy, proxy_headers=headers, **options)
    else:
        manager = urllib3.PoolManager(**options)
    manager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}
    return manager


def _route(url: str) -> tuple[HTTPConnectionPool, str]:
    """The connections that lead to an address, and what is asked for there.

    Raises:
        LocationValueError: It is no address.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise LocationValueError(str(error)) from None
    pool = _pool(parts.scheme, parts.netloc)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    is_asked_of_proxy = pool.proxy is not None and parts.scheme == "http"
    return pool, f"http://{parts.netloc}{target}" if is_asked_of_proxy else target


@cache
def _pool(scheme: str, place: str) -> HTTPConnectionPool:
    """The connections to a server, through the proxy that the environment names for it when it is
    called first."""
    if scheme not in ("http", "https"):
        raise LocationValueError(f"the scheme is {scheme!r}")
    known = {} if proxy_bypass(place) else getproxies()
    proxy = known.get(scheme) or known.get("all")
    if proxy and "://" not in proxy:
        proxy = f"http://{proxy}"
    return _manager(proxy).connection_from_url(f"{scheme}://{place}")


def close_connections() -> None:
    """Close what is kept, for servers that stay while this process goes on, as in tests."""
    _manager(None).clear()
    _manager.cache_clear()
    _pool.cache_clear()
