"""A URL has one reading, or is none that may be called."""

from __future__ import annotations

import pytest

from rollcall.core.errors import FailedPrecondition
from rollcall.core.inputs import parse_url
from tests.support.rules import for_every


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("https://api.example.com", "api.example.com", 443, "/"),
        ("HTTPS://API.Example.com:443/v1/x?q=1&r=%20", "api.example.com", 443, "/v1/x?q=1&r=%20"),
        ("https://api.example.com?q=1", "api.example.com", 443, "/?q=1"),
        ("https://xn--bcher-kva.example:8443/@x:y", "xn--bcher-kva.example", 8443, "/@x:y"),
    ],
)
def test_a_url_has_a_host_a_port_and_a_path(url: str, host: str, port: int, path: str) -> None:
    found = parse_url(url)
    assert (found.host, found.port, found.path) == (host, port, path)


@for_every(
    "url",
    [
        "",
        "api.example.com",
        "http://api.example.com/",
        "ftp://api.example.com/",
        "https:/api.example.com/",
        "https:///api.example.com/",
        "//api.example.com/",
        "https://",
        "https://user@api.example.com/",
        "https://user:pw@api.example.com/",
        "https://api.example.com@127.0.0.1/",
        "https://api.example.com\\@127.0.0.1/",
        "https://api.example.com#@127.0.0.1/",
        "https://api.example.com/#part",
        "https://api.example.com./",
        "https://api.example..com/",
        "https://.example.com/",
        "https://-api.example.com/",
        "https://api_x.example.com/",
        "https://api.example.com%2e/",
        "https://api%2eexample.com/",
        "https://api.example.com:/",
        "https://api.example.com:0/",
        "https://api.example.com:65536/",
        "https://api.example.com:443:443/",
        "https://api.example.com:４４３/",
        "https://api.example.com /",
        "https://api.example.com/a b",
        "https://api.example.com/\r\nHost: x",
        "https://api.example.com/\t",
        "https://api.example.com\n",
        " https://api.example.com",
        "https://bücher.example/",
        "https://api。example.com/",
        "https://api.example.\uff43om",  # a full-width c
        "https://\u212aiwi.example.com",  # the Kelvin sign is no k
        "http\u017f://api.example.com",  # nor the long s an s
        "https://localhost/",
        "https://metadata/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
        "https://127.0.0.0x1/",
        "https://1.2.3.0x/",
        "https://①②⑦.0.0.1/",
        "https://127.0.0.1.:443/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fe80::1%25eth0]/",
        "https://" + "a" * 64 + ".example.com/",
        "https://" + ("a" * 60 + ".") * 5 + "com/",
        "https://api.example.com/" + "a" * 9000,
    ],
)
def test_what_could_be_read_in_two_ways_is_no_url(url: str) -> None:
    with pytest.raises(FailedPrecondition):
        parse_url(url)
