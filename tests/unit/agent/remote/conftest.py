"""A network of the tests' own: host names lead to local servers with real certificates."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Any

import pytest

from rollcall.agent.remote import http
from tests.support.https_server import Answer, Authority, HttpsServer

Names = dict[str, list[str]]


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """What the DNS knows: addresses by name. Nothing else is found."""
    known: Names = {}
    real = socket.getaddrinfo

    def look_up(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(host, bytes):
            if host.decode() not in known:
                raise socket.gaierror("unknown")
            return [(0, 0, 0, "", (address, port)) for address in known[host.decode()]]
        ip_address(host)  # a connection is made to an address, never to a name
        return real(host, port, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


@pytest.fixture
def serve(
    names: Names, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, Answer], HttpsServer]]:
    """Start a server under a name, with this computer counted as a public address."""
    is_public = http.is_public
    monkeypatch.setattr(http, "is_public", lambda ip: ip.is_loopback or is_public(ip))
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    started: list[HttpsServer] = []

    def start(host: str, answer: Answer) -> HttpsServer:
        started.append(HttpsServer(authority, host, answer))
        names[host] = ["127.0.0.1"]
        return started[-1]

    yield start
    for server in started:
        server.close()
