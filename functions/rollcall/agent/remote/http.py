"""One HTTP request on its own connection, bounded in time and size.

Python's own HTTP client is used because it does nothing by itself: it resolves no names here (the
connection is made to the addresses that are passed in), follows no redirects, keeps no cookies and
reads no proxy from the environment, and its socket can be shut down as soon as the time is over.
"""

from __future__ import annotations

import json
import logging
import math
import os
import queue
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any

from msgspec import Struct

from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    OutcomeUnknown,
    Unavailable,
)
from rollcall.core.inputs import Url, check_json, is_host
from rollcall.core.texts import TEXTS, Text

CONNECT_S = 5.0
MAX_BYTES = 1_000_000
"""The largest body of an answer."""

MAX_ADDRESSES = 8
"""How many addresses a name may have; all of them must be public."""

_NAT64 = ip_network("64:ff9b::/96")
_IPV4_COMPATIBLE = ip_network("::/96")
_UNICAST = ip_network("2000::/3")
RESERVED = Path(__file__).with_name("reserved_networks.json")
"""Networks without hosts on the public internet, each with its source. Python knows most of them,
the newer ones only in newer versions."""

log = logging.getLogger("rollcall")


class Request(Struct, frozen=True, kw_only=True):
    """An HTTP request.

    Args:
        to: The name of the callee, for errors.
        path: Path and query.
        host: The host name in the server's certificate; None for plain HTTP.
        headers: All headers, including `Host`, and `Content-Type` if there is a body.
        writes: Whether a request without an answer may have changed something.
    """

    to: str
    method: str
    path: str
    host: str | None
    headers: dict[str, str]
    body: bytes | None = None
    writes: bool = False


class Reply(Struct, frozen=True):
    """An HTTP answer. The names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Unusable(Exception):
    """A complete answer that cannot be used."""


def exchange(request: Request, addresses: Sequence[str], port: int, *, deadline: float) -> Reply:
    """Send a request and read its answer.

    Args:
        addresses: IP addresses, tried in order until one accepts the connection.
        deadline: The `time.monotonic()` value at which the time is over.

    Raises:
        Unavailable: No connection could be made, or it broke.
        DeadlineExceeded: The time is over.
        FailedPrecondition: The answer is too large, or has an unknown encoding.
        OutcomeUnknown: Any of these happened after a write was sent.
    """
    with _shut_down_at(_connect(request, addresses, port, deadline), deadline) as connection:
        try:
            if request.host is not None:
                assert isinstance(connection, ssl.SSLSocket)
                connection.do_handshake()
        except OSError as error:
            raise _not_sent(request, error, deadline) from None
        try:
            reply = _ask(request, connection)
            if time.monotonic() >= deadline:  # an answer that was cut off may look like a short one
                raise TimeoutError
            return reply
        except (OSError, HTTPException, _Unusable) as error:
            raise _not_answered(request, error, deadline) from None


def read_json(reply: Reply, request: Request) -> Any:
    """Return the JSON of an answer.

    Raises:
        FailedPrecondition: The answer is not JSON, or JSON that cannot be stored and sent on.
        OutcomeUnknown: The same, after a write.
    """
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        try:
            value = json.loads(reply.body)
            check_json(value, field="answer")
            return value
        except InvalidArgument:
            fault = "it is JSON that can be neither stored nor sent on"
        except (ValueError, RecursionError):
            fault = "it is not JSON"
    else:
        fault = f"its content type is {kind[:60]!r}, not JSON"
    raise _not_answered(request, _Unusable(fault), math.inf)


def _connect(
    request: Request, addresses: Sequence[str], port: int, deadline: float
) -> socket.socket | ssl.SSLSocket:
    """Return a connection to the first address that accepts one, before any TLS handshake."""
    error: OSError = TimeoutError()
    for address in addresses:
        left_s = min(CONNECT_S, deadline - time.monotonic())
        if left_s <= 0:
            break
        try:
            connection = socket.create_connection((address, port), timeout=left_s)
        except OSError as refused:
            error = refused
            continue
        connection.settimeout(max(deadline - time.monotonic(), 0.001))
        if request.host is None:
            return connection
        tls = _tls(os.environ.get("SSL_CERT_FILE"))
        return tls.wrap_socket(
            connection, server_hostname=request.host, do_handshake_on_connect=False
        )
    raise _not_sent(request, error, deadline)


@cache
def _tls(authorities: str | None) -> ssl.SSLContext:
    """Return a TLS context; cached, because reading the system's authorities takes 25 ms."""
    return ssl.create_default_context(cafile=authorities)


@contextmanager
def _shut_down_at(connection: socket.socket, deadline: float) -> Iterator[socket.socket]:
    """Shut the connection down when the time is over. The socket's own timeout is not enough: it
    applies to each read, and a server may send a byte now and then."""
    lock = threading.Lock()
    done = False

    def cut() -> None:
        with lock:  # after it is closed, its file descriptor may be another connection's
            if not done:
                with suppress(OSError):  # it is closed already
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)

    timer = threading.Timer(max(deadline - time.monotonic(), 0.0), cut)
    timer.daemon = True
    timer.start()
    try:
        yield connection
    finally:
        with lock:
            done = True
        timer.cancel()
        connection.close()


def _ask(request: Request, connection: socket.socket) -> Reply:
    """Send the request on a connection, and read the answer."""
    client = HTTPConnection("unused.invalid")  # never resolved, since its socket is set below
    client.auto_open = 0
    client.sock = connection
    client.request(request.method, request.path, body=request.body, headers=request.headers)
    with client.getresponse() as response:
        headers: dict[str, str] = {}
        for name, value in response.getheaders():
            headers.setdefault(name.lower(), value)
        body = response.read(MAX_BYTES + 1)
        if len(body) > MAX_BYTES:
            raise _Unusable(f"it is larger than {MAX_BYTES:,} bytes")
        if response.length:  # so many bytes are missing of the announced length
            raise HTTPException("the answer broke off")
        encoding = headers.get("content-encoding", "").strip().lower()
        if encoding not in ("", "identity"):
            kind = f"the content encoding {encoding[:20]!r}"
            raise _Unusable(f"it has {kind}, which was not requested")
        return Reply(response.status, headers, body)


def _not_sent(request: Request, error: OSError, deadline: float) -> AgentError:
    """Return the error for a request that was not sent, since no connection was made."""
    log.warning("%s: no connection: %r", request.to, error)
    if time.monotonic() >= deadline:
        return DeadlineExceeded(TEXTS.text("errors.not_reached_in_time", to=request.to))
    if isinstance(error, ssl.SSLCertVerificationError):
        return Unavailable(TEXTS.text("errors.not_proven", to=request.to))
    return Unavailable(TEXTS.text("errors.not_reached", to=request.to))


def _not_answered(request: Request, error: Exception, deadline: float) -> AgentError:
    """Return the error for a request that was sent and got no usable answer."""
    log.warning("%s: no answer: %r", request.to, error)
    is_late = time.monotonic() >= deadline or isinstance(error, TimeoutError)
    if is_late:
        problem = TEXTS.text("errors.not_answered_in_time", to=request.to)
    elif isinstance(error, _Unusable):
        problem = TEXTS.text("errors.answer_unusable", to=request.to, error=error)
    else:
        problem = TEXTS.text("errors.connection_broke", to=request.to)
    if request.writes:
        return outcome_unknown(problem)
    if is_late:
        return DeadlineExceeded(problem)
    return FailedPrecondition(problem) if isinstance(error, _Unusable) else Unavailable(problem)


def outcome_unknown(problem: str | Text) -> OutcomeUnknown:
    """Return the error for a write that was sent and not answered."""
    return OutcomeUnknown(
        TEXTS.text("errors.may_have_been_done", what=problem), hint="look whether it was done"
    )


def check_listed(url: Url, variable: str) -> None:
    """Check that the URL's host and port are on the allow-list in an environment variable.

    Entries are separated by commas: `api.example.com`, `*.example.com` (every subdomain, not the
    domain itself), `api.example.com:8443`. The port defaults to 443.

    Raises:
        FailedPrecondition: They are not on the list, or the list has an invalid entry.
    """
    is_listed = False
    for entry in os.environ.get(variable, "").lower().split(","):
        name, _, port = entry.strip().partition(":")
        if not entry.strip():
            continue
        if not is_host(name.removeprefix("*.")) or not re.fullmatch(r"[0-9]{0,5}", port):
            raise FailedPrecondition(
                f"{variable} has an entry that is no host: {entry.strip()[:100]!r}",
                hint="write api.example.com, *.example.com or api.example.com:8443",
            )
        is_same = url.host.endswith(name[1:]) if name.startswith("*.") else url.host == name
        is_listed = is_listed or (is_same and url.port == int(port or 443))
    if not is_listed:
        raise FailedPrecondition(
            f"{url.authority} may not be called from here",
            hint=f"an operator can add it to {variable}",
        )


def public_addresses(host: str, port: int, *, deadline: float) -> list[str]:
    """Return the IP addresses of `host`, all of which must be public.

    Args:
        deadline: The `time.monotonic()` value at which the time is over.

    Raises:
        FailedPrecondition: An address is not public.
        Unavailable: The name cannot be resolved now.
        DeadlineExceeded: The time is over.
    """
    found = look_up(host, port, deadline=deadline)
    for text in found:
        if not is_public(ip_address(text)):
            log.warning("%s leads to %s, which is not public", host, text)
            raise FailedPrecondition(f"{host} does not lead to a public address")
    return found


def look_up(host: str, port: int, *, deadline: float) -> list[str]:
    """Return the IP addresses of `host`, each once.

    Raises:
        Unavailable: The name cannot be resolved now.
        DeadlineExceeded: The time is over.
        FailedPrecondition: It has more than `MAX_ADDRESSES`.
    """
    answer: queue.SimpleQueue[list[str] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
            answer.put([str(each[4][0]) for each in found])
        except OSError as error:
            answer.put(error)

    # In a thread, because the system's resolver has no timeout that could be set.
    threading.Thread(target=ask, daemon=True).start()
    try:
        found = answer.get(timeout=max(deadline - time.monotonic(), 0.0))
    except queue.Empty:
        raise DeadlineExceeded(f"the name {host} was not found in the time allowed") from None
    if isinstance(found, OSError) or not found:
        log.warning("%s could not be looked up: %s", host, found)
        raise Unavailable(f"the name {host} could not be found")
    if len(set(found)) > MAX_ADDRESSES:
        raise FailedPrecondition(f"{host} has more addresses than the {MAX_ADDRESSES} looked at")
    return list(dict.fromkeys(found))


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is a host on the public internet, and every IPv4 address in it too."""
    if isinstance(address, IPv4Address):
        return address.is_global and not _is_reserved(address)
    if address.scope_id or _is_reserved(address):
        return False
    if not all(map(is_public, _embedded(address))):
        return False
    is_ipv4 = bool(address.ipv4_mapped) or address in _NAT64
    return is_ipv4 or (address in _UNICAST and address.is_global)


@cache
def _reserved() -> tuple[IPv4Network | IPv6Network, ...]:
    listed = json.loads(RESERVED.read_text("utf-8"))["networks"]
    return tuple(ip_network(each["network"]) for each in listed)


def _is_reserved(address: IPv4Address | IPv6Address) -> bool:
    return any(address in network for network in _reserved())


def _embedded(address: IPv6Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses to which a network may translate or tunnel this address."""
    low = IPv4Address(int(address) & 0xFFFF_FFFF)
    if address.ipv4_mapped:
        yield address.ipv4_mapped
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
    if address in _NAT64 or address in _IPV4_COMPATIBLE:
        yield low
    if (int(address) >> 32) & 0xFCFF_FFFF == 0x0000_5EFE:  # ISATAP
        yield low
