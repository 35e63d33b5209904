"""Which URLs may be called, and which IP addresses they may lead to.

The host's name is looked up once, and the connection is made to an address that was checked here,
so the name cannot lead elsewhere a moment later.
"""

from __future__ import annotations

import logging
import os
import queue
import re
import socket
import threading
import time
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from rollcall.core.errors import DeadlineExceeded, FailedPrecondition, Unavailable
from rollcall.core.urls import Url, is_host

MAX_ADDRESSES = 8
"""How many of a name's addresses are looked at; all of them must be public."""

log = logging.getLogger("rollcall")

_NAT64 = ip_network("64:ff9b::/96")
_IPV4_COMPATIBLE = ip_network("::/96")
_UNICAST = ip_network("2000::/3")
_NEVER = tuple(
    map(
        ip_network,
        (
            "192.0.0.0/24",  # protocol assignments; older Pythons call part of them global
            "192.88.99.0/24",  # 6to4 relays
            "168.63.129.16/32",  # a cloud's own control address, though it looks public
        ),
    )
)


def check_listed(url: Url, variable: str) -> None:
    """Look for the URL's host and port in the list that the environment has under `variable`.

    The list is separated by commas: `api.example.com`, `*.example.com` (every name below it, not
    itself), `api.example.com:8443`. The port is 443 where none is named.

    Raises:
        FailedPrecondition: It is not there, or the list has an entry of another form.
    """
    entries = [entry.strip().lower() for entry in os.environ.get(variable, "").split(",")]
    listed = [_entry(entry, variable) for entry in entries if entry]
    if not any(_matches(url, name, port) for name, port in listed):
        raise FailedPrecondition(
            f"{url.authority} may not be called from here",
            hint=f"an operator can add it to {variable}",
        )


def _entry(text: str, variable: str) -> tuple[str, int]:
    name, _, port = text.partition(":")
    if not is_host(name.removeprefix("*.")) or not re.fullmatch(r"[0-9]{0,5}", port):
        raise FailedPrecondition(
            f"{variable} has an entry that is no host: {text[:100]!r}",
            hint="write api.example.com, *.example.com or api.example.com:8443",
        )
    return name, int(port or 443)


def _matches(url: Url, name: str, port: int) -> bool:
    if name.startswith("*."):
        return url.port == port and url.host.endswith(name[1:])
    return url.origin == (name, port)


def public_addresses(host: str, port: int, *, ends: float) -> list[str]:
    """Look `host` up; every address found must be on the public internet.

    Args:
        ends: When the time is over, in `time.monotonic()` seconds.

    Raises:
        FailedPrecondition: One of them is not.
        Unavailable: The name is not known now.
        DeadlineExceeded: The time is over.
    """
    found = look_up(host, port, ends=ends)
    for text in found:
        if not is_public(ip_address(text)):
            log.warning("%s leads to %s, which is not public", host, text)
            raise FailedPrecondition(f"{host} does not lead to a public address")
    return found


def look_up(host: str, port: int, *, ends: float) -> list[str]:
    """The IP addresses of `host`, found within the time.

    Raises:
        Unavailable: The name is not known now.
        DeadlineExceeded: The time is over.
    """
    answer: queue.SimpleQueue[list[str] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
            answer.put([str(each[4][0]) for each in found])
        except OSError as error:
            answer.put(error)

    # The system's resolver has no time limit of its own that could be set.
    threading.Thread(target=ask, daemon=True).start()
    try:
        found = answer.get(timeout=max(ends - time.monotonic(), 0.0))
    except queue.Empty:
        raise DeadlineExceeded(f"the name {host} was not found in the time allowed") from None
    if isinstance(found, OSError) or not found:
        log.warning("%s could not be looked up: %s", host, found)
        raise Unavailable(f"the name {host} could not be found")
    if len(set(found)) > MAX_ADDRESSES:
        raise FailedPrecondition(f"{host} has more addresses than the {MAX_ADDRESSES} looked at")
    return list(dict.fromkeys(found))


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether this is one host on the public internet, as is each IPv4 address inside it."""
    if isinstance(address, IPv4Address):
        never = any(address in network for network in _NEVER)
        return address.is_global and not address.is_multicast and not never
    if address.scope_id:
        return False
    inner = list(_embedded(address))
    if not all(map(is_public, inner)):
        return False
    carries = bool(address.ipv4_mapped) or address in _NAT64
    return carries or (address in _UNICAST and address.is_global)


def _embedded(address: IPv6Address) -> Iterator[IPv4Address]:
    """IPv4 addresses that a network may send packets for this one to."""
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
