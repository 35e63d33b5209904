"""Only public hosts that an operator has named are called."""

from __future__ import annotations

import json
import socket
import threading
import time
from ipaddress import ip_address, ip_network

import pytest

from rollcall.agent.remote import http
from rollcall.agent.remote.http import (
    check_listed,
    is_public,
    look_up,
    public_addresses,
)
from rollcall.core.errors import DeadlineExceeded, FailedPrecondition, Unavailable
from rollcall.core.inputs import parse_url
from tests.unit.agent.remote.conftest import Names


@pytest.fixture(autouse=True)
def allowed_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTS", "api.example.com, *.example.org,api.example.net:8443")


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/x",
        "https://api.example.org/",
        "https://a.b.example.org/",
        "https://api.example.net:8443/",
    ],
)
def test_a_listed_host_may_be_called(url: str) -> None:
    check_listed(parse_url(url), "HOSTS")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/",
        "https://api.example.com:8443/",
        "https://x.api.example.com/",
        "https://api.example.com.evil.net/",
        "https://example.org/",
        "https://evilexample.org/",
        "https://api.example.net/",
    ],
)
def test_any_other_host_or_port_may_not(url: str) -> None:
    with pytest.raises(FailedPrecondition, match="may not be called"):
        check_listed(parse_url(url), "HOSTS")


def test_without_a_list_nothing_may_be_called(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("", " , "):
        monkeypatch.setenv("HOSTS", value)
        with pytest.raises(FailedPrecondition, match="may not be called"):
            check_listed(parse_url("https://api.example.com/"), "HOSTS")


@pytest.mark.parametrize(
    "entry", ["*", "*.com", "https://api.example.com", "127.0.0.1", "a.*.com", "localhost"]
)
def test_a_list_that_says_something_else_is_refused_whole(
    entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTS", f"api.example.com,{entry}")
    with pytest.raises(FailedPrecondition, match="no host"):
        check_listed(parse_url("https://api.example.com/"), "HOSTS")


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"],
)
def test_a_host_on_the_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "0.1.2.3",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::808:808",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808",
        "100::1",
        "2001::1",
        "2001:0:808:808:0:0:5601:fefe",  # Teredo to 169.254.1.1
        "2001:db8::1",
        "2002:7f00:1::1",
        "2002:a9fe:a9fe::",
        "2001:4860::5efe:7f00:1",
        "2001:4860::200:5efe:a00:1",
        "fc00::1",
        "fd20:ce::254",
        "fe80::1",
        "fe80::1%eth0",
        "2001:4860:4860::8888%eth0",
        "fec0::1",
        "3fff::1",
        "3fff:fff::1",
        "5f00::1",
        "100:0:0:1::1",
        "2001:20::1",
        "ff02::1",
        "4000::1",
    ],
)
def test_no_other_address_is_public_nor_one_that_carries_it(address: str) -> None:
    assert not is_public(ip_address(address))


def test_each_reserved_network_has_its_source_and_holds_no_public_address() -> None:
    allowed_hosts = json.loads(http.RESERVED.read_text("utf-8"))
    assert allowed_hosts["source"] and allowed_hosts["date"]
    for row in allowed_hosts["networks"]:
        network = ip_network(row["network"])
        assert row["what"] and row["source"]
        for address in (network[0], network[-1]):
            assert not is_public(address), row


def deadline() -> float:
    return time.monotonic() + 60


def test_one_private_address_among_public_ones_is_enough_to_refuse(names: Names) -> None:
    names["api.example.com"] = ["8.8.8.8", "10.0.0.1"]
    with pytest.raises(FailedPrecondition) as caught:
        public_addresses("api.example.com", 443, deadline=deadline())
    assert "10.0.0.1" not in str(caught.value)
    names["api.example.com"] = ["8.8.8.8", "8.8.8.8", "1.1.1.1"]
    found = public_addresses("api.example.com", 443, deadline=deadline())
    assert found == ["8.8.8.8", "1.1.1.1"]


def test_a_name_that_leads_nowhere_or_everywhere_is_refused(names: Names) -> None:
    with pytest.raises(Unavailable):
        look_up("nobody.example.com", 443, deadline=deadline())
    names["all.example.com"] = [f"8.8.8.{n}" for n in range(http.MAX_ADDRESSES + 1)]
    with pytest.raises(FailedPrecondition):
        look_up("all.example.com", 443, deadline=deadline())


def test_a_name_server_that_does_not_answer_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: answered.wait(60) and [])
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded):
        look_up("api.example.com", 443, deadline=began + 0.1)
    assert time.monotonic() - began < 30
    answered.set()
