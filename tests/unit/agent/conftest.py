"""Fixtures: threads that read models' replies."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest


def _readers() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name.startswith("model ")]


@pytest.fixture
def no_thread_is_left() -> Iterator[None]:
    """Whatever became of a reply, the thread that read it ends."""
    yield
    ends = time.monotonic() + 10
    while _readers() and time.monotonic() < ends:  # a thread's end is told before it is free
        time.sleep(0.01)
    assert _readers() == []
