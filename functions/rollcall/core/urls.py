"""HTTPS URLs that may be called, parsed once by one pattern.

Nothing later parses it again, so two readers of it cannot disagree.
"""

from __future__ import annotations

import re

from msgspec import Struct

from rollcall.core.errors import FailedPrecondition

MAX_URL = 8_000

# No user and password, no brackets, no backslash, no fragment, and nothing but ASCII: a host in
# another script is written as it is in the DNS, "xn--…".
_URL = re.compile(
    r"https://(?P<host>[A-Za-z0-9.-]{1,253})(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[!$-\[\]-~]*)?(?P<query>\?[!$-\[\]-~]*)?",
    re.IGNORECASE | re.ASCII,  # without ASCII, the Kelvin sign is a k
)
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label like this makes the whole host an IPv4 address, in one of its old spellings."""


class Url(Struct, frozen=True):
    """An HTTPS URL in its parts; `path` includes the query, as it is sent."""

    host: str
    port: int
    path: str

    @property
    def origin(self) -> tuple[str, int]:
        return self.host, self.port

    @property
    def authority(self) -> str:
        """The header `Host`."""
        return self.host if self.port == 443 else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        return f"https://{self.authority}{self.path}"


def parse_url(text: str) -> Url:
    """Parse a URL.

    Raises:
        FailedPrecondition: It is not a plain `https://name/path?query` in ASCII, or its host is
            an IP address or a single word.
    """
    found = _URL.fullmatch(text) if len(text) <= MAX_URL else None
    host = found["host"].lower() if found else ""
    port = int(found["port"] or 443) if found else 0
    if found is None or not is_host(host) or not 0 < port < 65_536:
        raise FailedPrecondition(
            "the address of this tool's service is not one that may be called",
            hint="write it as https://name/path?query, in ASCII, with the name of a host",
        )
    return Url(host, port, (found["path"] or "/") + (found["query"] or ""))


def is_host(name: str) -> bool:
    """Tell whether this is a full host name in lower case, and not an IP address."""
    labels = name.split(".")
    return (
        len(name) <= 253
        and len(labels) > 1
        and all(_LABEL.fullmatch(label) for label in labels)
        and not _NUMBER.fullmatch(labels[-1])
    )
