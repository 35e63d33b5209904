"""HTTP for model providers: sends one request and yields the answer as JSON events.

Connections are pooled per process and shared by all threads. A request has one deadline, from the
first byte sent to the last byte read; an answer that has begun may also not be silent for longer
than `SILENCE_S`. Lines of a stream, bodies and bodies of errors have size limits, so that a hostile
or broken server cannot fill the memory. Redirects are not followed (the key would be sent along),
and nothing is retried. Another thread can end a wait: see `rollcall.models.base.on_cancel`.
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
from rollcall.models.json_stream import json_events, mapping, parse_json

CONNECT_S = 5.0
CALL_LIMIT_S = 300.0
"""The longest that a call may take if its request has no deadline."""
SILENCE_S = 150.0
"""The longest pause between two reads of one answer; a model may think that long before it
writes."""
LINGER_S = 0.2
"""How long `drain` waits for the end of an answer."""
READ_BYTES = 65_536
BODY_BYTES = 64_000_000
"""The largest answer; a stream of 128,000 tokens has about 30 MB."""
ERROR_BYTES = 1_000_000
CONNECTIONS = 64
"""Pooled connections per server; a process serves fewer concurrent requests."""
SERVERS = 1_000
"""Pools per process: more servers than a process ever calls."""

_ONCE = urllib3.Retry(False, redirect=False)
_NOT_SENT = (ConnectTimeoutError, NewConnectionError, ProxyError, SSLError)


class TransportError(Exception):
    """No answer, or an incomplete one.

    Attributes:
        is_sent: Whether the request may have reached the server, which may charge for it.
        is_address: Whether the address itself is unusable.
    """

    def __init__(self, message: str, *, is_sent: bool = True, is_address: bool = False) -> None:
        super().__init__(message)
        self.is_sent, self.is_address = is_sent, is_address


class ProviderError(Exception):
    """A failure that a provider reports, by its HTTP status or inside an answer that began well.

    Attributes:
        status: The HTTP status, or the number that the provider wrote instead; 0 without either.
        body: The provider's error object: `code`, `type`, `status`, `message`, `details`.
        headers: The answer's headers, with case-insensitive names.
    """

    def __init__(
        self, status: int, body: dict[str, Json], headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"HTTP {status}")
        self.status, self.body, self.headers = status, body, headers or {}


class Response:
    """A successful answer whose body is still to be read. As a context manager it returns its
    connection to the pool, or closes it if the body was not read to its end."""

    def __init__(self, raw: urllib3.BaseHTTPResponse, clock: Clock) -> None:
        self._raw, self._clock = raw, clock
        self._wire: socket.socket | None = getattr(raw.connection, "wire", None)
        try:
            on_cancel(self._cut)
        except Aborted:
            raw.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        on_cancel(None)
        # This leaves a connection alone that is already back in the pool.
        self._raw.close()

    def events(self) -> Iterator[dict[str, Json]]:
        """Yield the JSON objects of the answer; see `rollcall.models.json_stream.json_events`.

        Raises:
            TransportError: The answer broke off or was silent for too long.
            ValueError: The answer is not valid JSON, or one of its lines is too long.
            DeadlineExceeded: The time for the call is over.
        """
        return json_events(self.chunks(BODY_BYTES))

    def chunks(self, most: int) -> Iterator[bytes]:
        """Yield the body as it arrives.

        Raises:
            TransportError: It has more than `most` bytes.
        """
        size = 0
        while data := self._read(self._clock.left_s(at_most=SILENCE_S)):
            size += len(data)
            if size > most:
                raise TransportError(f"the answer has more than {most} bytes")
            yield data
            self._clock.left_s(at_most=SILENCE_S)

    def drain(self) -> None:
        """Read the rest of a complete answer, for at most `LINGER_S`, so that its connection can
        serve the next request."""
        ends = time.monotonic() + LINGER_S
        with suppress(Exception):  # the answer is complete, so a failure here does not matter
            while self._raw.connection is not None:
                if (left_s := ends - time.monotonic()) <= 0 or not self._read(left_s):
                    break

    def _read(self, limit_s: float) -> bytes:
        if self._wire is not None and not self._raw.closed:
            with suppress(OSError):  # already closed: the rest is in memory
                self._wire.settimeout(limit_s)
        with _transport_errors():
            return self._raw.read1(READ_BYTES)

    def _cut(self) -> None:
        # After the last byte the connection is in the pool, and may serve another request by now.
        if self._raw.connection is not None:
            _shut_down(self._wire)


def post(
    url: str, body: bytes, headers: Mapping[str, str], clock: Clock, *, method: str = "POST"
) -> Response:
    """Send a JSON body and wait for the answer's status and headers.

    Args:
        clock: The clock of the whole call.
        method: "GET" for a request that only reads.
    Raises:
        ProviderError: The status is not 2xx.
        TransportError: The server could not be reached, or the answer broke off.
        DeadlineExceeded: The time for the call is over.
    """
    left_s = clock.left_s(at_most=CALL_LIMIT_S)
    timeout = urllib3.Timeout(connect=min(CONNECT_S, left_s), read=left_s)
    headers = {"content-type": "application/json", "accept-encoding": "identity", **headers}
    with _transport_errors():
        pool, target = _route(url)
        raw = pool.urlopen(
            method,
            target,
            body=body,
            headers=headers,
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
    with response, suppress(TransportError):  # the status alone is enough for an error
        for chunk in response.chunks(ERROR_BYTES):
            data += chunk
    raise ProviderError(raw.status, error_of(parse_json(data)), raw.headers)


def error_of(value: Json) -> dict[str, Json]:
    """Return the error object of a server's failure, which may be `{error: {…}}`, `{error: "…"}`,
    such an object in a list, or the bare fields."""
    if isinstance(value, list):
        value = next(iter(value), None)
    body = mapping(value)
    error = body.get("error", body.get("detail"))
    if isinstance(error, str):
        return {**body, "message": error}
    return mapping(error) or body


@contextmanager
def _transport_errors() -> Iterator[None]:
    """Turn the client library's exceptions into `TransportError`s, without their messages, which
    contain addresses."""
    try:
        yield
    except LocationValueError as error:
        name = type(error).__name__
        raise TransportError(name, is_sent=False, is_address=True) from None
    except (HTTPError, OSError, ValueError) as error:
        if isinstance(error, UnicodeError):
            raise
        is_sent = not isinstance(error, _NOT_SENT)
        raise TransportError(type(error).__name__, is_sent=is_sent) from None


class _Connection(HTTPConnection):
    """A connection on which another thread can end a wait, once it is connected.

    `wire` is its socket, even while the library has passed the socket on to a response.
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
    # Below TLS: a proper TLS shutdown would wait for, or race with, the thread that reads.
    if wire is not None:
        # OSError: already closed. TypeError: TLS in TLS, through a proxy, is not a socket.
        with suppress(OSError, TypeError):
            socket.socket.shutdown(wire, socket.SHUT_RDWR)


@cache
def trust() -> ssl.SSLContext:
    """Return the TLS context with the trusted certificates: the system's or those of
    `SSL_CERT_FILE`, and certifi's if there are none, as with Python for macOS."""
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
    """Return the connection pool for a URL, which uses the proxy that the environment names, and
    the request's target.

    Raises:
        LocationValueError: The URL is invalid.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise LocationValueError(str(error)) from None
    if parts.scheme not in ("http", "https"):
        raise LocationValueError(f"the scheme is {parts.scheme!r}")
    proxies = {} if proxy_bypass(parts.netloc) else getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if proxy and "://" not in proxy:
        proxy = f"http://{proxy}"
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if proxy and parts.scheme == "http":
        target = f"http://{parts.netloc}{target}"
    return _manager(proxy).connection_from_url(f"{parts.scheme}://{parts.netloc}"), target


def close_connections() -> None:
    """Close all pooled connections, for processes that outlive their servers, as in tests."""
    _manager(None).clear()
    _manager.cache_clear()
