"""HTTP for model providers: one request, and its answer as JSON events while it comes.

Connections are kept per process and shared by all threads. A request has one deadline, from the
first byte sent to the last byte read; within it no answer may be silent for `SILENCE_S` once it
has begun. A line of a stream, a body and an error's body are bounded, so that a hostile or broken
server cannot fill the memory. Redirects are not followed (a key would follow them) and nothing is
sent twice. Whoever waits here can be told to stop by another thread: see
`rollcall.models.base`.
"""

from __future__ import annotations

import atexit
import os
import socket
import ssl
import string
import time
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, lru_cache, partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import NamedTuple, Self
from urllib.parse import quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

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
_HEADERS = {
    "content-type": "application/json",
    "accept-encoding": "identity",
    "user-agent": "rollcall-firebase",
}


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
        headers: Of the answer, their names in lower case.
    """

    def __init__(
        self, status: int, body: dict[str, Json], headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"HTTP {status}")
        self.status, self.body, self.headers = status, body, headers or {}


class Response:
    """A good answer, yet unread. As a context manager it keeps its connection for the next request,
    or closes it where not all was read."""

    def __init__(self, server: _Server, connection: _Connection, clock: Clock) -> None:
        self._server, self._connection, self._clock = server, connection, clock
        self._is_over = False
        self._raw: HTTPResponse = connection.getresponse()
        self.status, self.headers = self._raw.status, self._raw.headers
        encoding = self.headers.get("content-encoding", "")
        # Some send it though nobody asked for it.
        is_zipped = encoding.lower() in ("gzip", "x-gzip", "deflate")
        self._unzip = zlib.decompressobj(zlib.MAX_WBITS | 32) if is_zipped else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        is_read = self._is_over or self._raw.length == 0
        self._raw.close()
        kept = _kept().setdefault(self._server, [])
        if is_read and not self._raw.will_close and len(kept) < CONNECTIONS:
            kept.append(self._connection)
        else:
            self._connection.close()

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
            for piece in self._unzipped(data) if self._unzip else (data,):
                size += len(piece)
                if size > most:
                    raise TransportError(f"the answer has more than {most} bytes")
                yield piece
            self._clock.left_s(at_most=SILENCE_S)

    def _unzipped(self, data: bytes) -> Iterator[bytes]:
        assert self._unzip is not None
        while data:
            with _failures():
                piece = self._unzip.decompress(data, READ_BYTES)
            yield piece
            data = self._unzip.unconsumed_tail

    def read_out(self) -> None:
        """Read the rest of an answer of which all is known, so that its connection serves the next
        request; one that does not end at once is not waited for."""
        ends = time.monotonic() + LINGER_S
        with suppress(Exception):  # whatever is wrong with the rest, the answer is there
            while not self._is_over and (left_s := ends - time.monotonic()) > 0:
                self._read(left_s)

    def _read(self, limit_s: float) -> bytes:
        wire = self._connection.wire
        with suppress(OSError):  # closed already: what is left is in memory
            wire.settimeout(limit_s)
        with _failures(), interruptible(partial(_shut_down, wire)):
            data = self._raw.read1(READ_BYTES)
            if not data and self._raw.length:
                raise IncompleteRead(data, self._raw.length)
        self._is_over = not data
        return data


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
    server, target = _address(url)
    with _failures(is_sent=False):
        connection = server.connection(min(CONNECT_S, left_s))
    sent = {**_HEADERS, **headers, **(server.proxy_headers if server.is_asked_whole else {})}
    try:
        with _failures(), interruptible(partial(_shut_down, connection.wire)):
            connection.wire.settimeout(left_s)
            connection.request(method, target, body or None, sent)
            response = Response(server, connection, clock)
    except BaseException:
        connection.close()
        raise
    if 200 <= response.status < 300:
        return response
    with response:
        told = {name.lower(): value for name, value in response.headers.items()}
        raise ProviderError(response.status, _error_of(response), told)


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
def _failures(*, is_sent: bool = True) -> Iterator[None]:
    """Turn the exceptions of sockets and of `http.client` into `TransportError`s, without the texts
    of theirs, which hold addresses."""
    try:
        yield
    except UnicodeError as error:
        if is_sent:
            raise
        raise TransportError(type(error).__name__, is_sent=False, is_address=True) from None
    except (HTTPException, OSError, ValueError, zlib.error) as error:
        raise TransportError(type(error).__name__, is_sent=is_sent) from None


class _Connection(HTTPConnection):
    """A connection whose waiting another thread can end.

    `wire` is its socket, also while the library has handed that to a response.
    """

    wire: socket.socket

    def connect(self) -> None:
        # Not cancelled while it connects, which takes CONNECT_S at most; what follows is.
        with interruptible(lambda: None):
            super().connect()
        self.wire = self.sock

    def is_open(self) -> bool:
        """Whether the server has not closed it since, nor sent what nobody asked for."""
        self.wire.settimeout(0)
        try:  # below TLS
            socket.socket.recv(self.wire, 1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False


class _TlsConnection(_Connection, HTTPSConnection):
    """The same over TLS."""


class _Server(NamedTuple):
    """Where a request goes, and through which proxy."""

    scheme: str
    host: str
    port: int | None
    proxy: str | None

    @property
    def is_asked_whole(self) -> bool:
        """Whether a proxy is told the whole address: it makes no tunnel without TLS."""
        return self.proxy is not None and self.scheme == "http"

    @property
    def proxy_headers(self) -> dict[str, str]:
        """What the proxy wants of who uses it."""
        user, _, place = urlsplit(self.proxy or "").netloc.rpartition("@")
        token = b64encode(unquote(user).encode()).decode()
        return {"proxy-authorization": f"Basic {token}"} if user and place else {}

    def connection(self, timeout_s: float) -> _Connection:
        """One that was kept, or a new one."""
        kept = _kept().get(self, [])
        while kept:
            with suppress(IndexError):  # another thread was faster
                connection = kept.pop()
                if connection.is_open():
                    return connection
                connection.close()
        host, port = self.host, self.port
        if self.proxy:
            through = urlsplit(self.proxy)
            host, port = through.hostname or "", through.port or 80
        if self.scheme == "http":
            connection = _Connection(host, port, timeout=timeout_s)
        else:
            connection = _TlsConnection(host, port, timeout=timeout_s, context=trust())
            if self.proxy:
                connection.set_tunnel(self.host, self.port, self.proxy_headers)
        connection.connect()
        return connection


@cache
def _kept() -> dict[_Server, list[_Connection]]:
    atexit.register(close_connections)
    return {}


def _address(url: str) -> tuple[_Server, str]:
    """An address as its server, and what that is asked for.

    Raises:
        TransportError: It is none, or has a proxy of another kind than HTTP.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise TransportError(type(error).__name__, is_sent=False, is_address=True) from None
    proxy = _proxy_of(parts.scheme, parts.netloc)
    is_known = parts.scheme in ("http", "https") and (not proxy or proxy.startswith("http://"))
    if not is_known or not parts.hostname:
        raise TransportError("no address", is_sent=False, is_address=True)
    server = _Server(parts.scheme, parts.hostname, port, proxy)
    target = quote(parts.path + (f"?{parts.query}" if parts.query else ""), safe=string.punctuation)
    whole = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if server.is_asked_whole else ""
    return server, whole + (target or "/")


def _shut_down(wire: socket.socket) -> None:
    # Below TLS: closing that properly would wait for, or race with, the thread that reads.
    with suppress(OSError):  # gone already, which is all we want
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
    for kept in _kept().values():
        while kept:
            kept.pop().close()
    _proxy_of.cache_clear()
