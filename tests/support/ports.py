"""Ports for servers of a test's own."""

from __future__ import annotations

import socket


def free_port() -> int:
    """A port of this computer that nobody listens on at the moment."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port
